import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../errors.ts";

/** What the daemon is told to pull with. */
export type Login =
  | { readonly username: string; readonly password: string; readonly serveraddress: string }
  | { readonly identitytoken: string; readonly serveraddress: string };

interface Entry {
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
}

interface Config {
  readonly auths?: Readonly<Record<string, Entry>>;
  readonly credsStore?: string;
  readonly credHelpers?: Readonly<Record<string, string>>;
}

/** Under which Docker keeps the login of its own registry. */
const DOCKER_HUB = "https://index.docker.io/v1/";
/** What a helper says as the name of the user where the secret is a token. */
const TOKEN = "<token>";

/**
 * What `docker login` keeps for the registry of an image: in `config.json` in $DOCKER_CONFIG or `~/.docker`, or with
 * the helper that it names. Undefined if there is none; what cannot be read is told in one line and passed over.
 */
export async function loginFor(
  image: string,
  onNote: (line: string) => void,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Login | undefined> {
  const file = join(env.DOCKER_CONFIG || join(homedir(), ".docker"), "config.json");
  const server = registryOf(image);
  try {
    const config = await readConfig(file);
    const helper = config.credHelpers?.[hostOf(server)] ?? config.credsStore;
    const entry = Object.entries(config.auths ?? {}).find(([name]) => hostOf(name) === hostOf(server))?.[1];
    const kept = helper ? await ask(helper, server, env) : undefined;
    return kept ?? (entry && loginOf(entry, server));
  } catch (error) {
    onNote(`docker: no login for ${hostOf(server)} from ${file}: ${messageOf(error).trim()}`);
    return undefined;
  }
}

/** As Docker reads a name: the part before the first slash is a registry if it could be no folder. */
function registryOf(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  return isHost && hostOf(first) !== hostOf(DOCKER_HUB) ? first : DOCKER_HUB;
}

/** Without protocol and path, which old entries have. */
function hostOf(server: string): string {
  const host = server.replace(/^https?:\/\//, "").split("/")[0]!;
  return host === "docker.io" || host === "registry-1.docker.io" ? "index.docker.io" : host;
}

async function readConfig(file: string): Promise<Config> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Config;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

function loginOf(
  { auth, username, password, identitytoken }: Entry,
  serveraddress: string,
): Login | undefined {
  if (identitytoken) return { identitytoken, serveraddress };
  const text = auth ? Buffer.from(auth, "base64").toString("utf8").replace(/\0+$/, "") : "";
  const at = text.indexOf(":");
  if (at > 0) return { username: text.slice(0, at), password: text.slice(at + 1), serveraddress };
  return username && password ? { username, password, serveraddress } : undefined;
}

/** Asks `docker-credential-*`, which keeps logins outside of the file. */
async function ask(helper: string, server: string, env: NodeJS.ProcessEnv): Promise<Login | undefined> {
  const program = `docker-credential-${helper}`;
  const text = await new Promise<string | undefined>((resolve, reject) => {
    const child = execFile(program, ["get"], { env, timeout: 30_000 }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else if (/credentials not found/i.test(stdout)) resolve(undefined);
      else reject(new Error(`${program}: ${stdout.trim() || error.message}`));
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(server === DOCKER_HUB ? server : hostOf(server));
  });
  if (text === undefined) return undefined;
  const { Username, Secret } = JSON.parse(text) as { Username: string; Secret: string };
  return Username === TOKEN
    ? { identitytoken: Secret, serveraddress: server }
    : { username: Username, password: Secret, serveraddress: server };
}
