import type Docker from "dockerode";
import { InputError, messageOf, SandboxError } from "../../errors.ts";
import { loginFor } from "./login.ts";

/** The oldest API that has all that is used here: that of Docker 19.03. */
const OLDEST_API = "1.40";

/** A client of the daemon that the environment names. Loaded when asked for: who runs no container need not wait for it. */
export async function dockerClient(): Promise<Docker> {
  const { default: Client } = await import("dockerode");
  return new Client();
}

/**
 * The daemon, asked once whether it is there.
 * @throws {InputError} if it is not there, not allowed, or too old; the message says what to do.
 */
export async function connectDaemon(given?: Docker): Promise<Docker> {
  const docker = given ?? (await dockerClient());
  try {
    const { ApiVersion, Version } = await docker.version();
    if (apiNumber(ApiVersion) >= apiNumber(OLDEST_API)) return docker;
    throw new InputError(`docker: the daemon is ${Version}, too old; 19.03 or newer is needed`);
  } catch (error) {
    throw explained(error);
  }
}

function apiNumber(version: string): number {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major * 1000 + minor;
}

function explained(error: unknown): Error {
  if (error instanceof InputError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EACCES") {
    return new InputError(
      "docker: this user may not use the daemon; add it to the group docker and log in again",
    );
  }
  if (code === "ENOENT" || code === "ECONNREFUSED") {
    return new InputError(
      "docker: no daemon answers; start Docker, or use the wasmer backend, which needs none",
    );
  }
  return new SandboxError(`docker: the daemon does not answer: ${messageOf(error)}`, { cause: error });
}

/** What a pull tells: a line at a time. */
export type OnPull = (line: string) => void;

/**
 * Makes sure that an image is here, pulling it if it is not, with what `docker login` keeps for its registry.
 * @throws {InputError} if there is no such image, here or at its registry.
 */
export async function ensureImage(
  docker: Docker,
  image: string,
  onPull: OnPull,
): Promise<Docker.ImageInspectInfo> {
  const found = await inspect(docker, image);
  if (found !== undefined) return found;
  try {
    const authconfig = await loginFor(image, onPull);
    const stream = await docker.pull(image, authconfig === undefined ? {} : { authconfig });
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(
        stream,
        (error) => (error ? reject(error) : resolve()),
        ({ id, status, progress }: { id?: string; status?: string; progress?: string }) =>
          onPull([id, status, progress].filter((word) => word !== undefined && word !== "").join(" ")),
      );
    });
  } catch (error) {
    throw new InputError(
      `docker: no image ${image} here, and pulling it failed: ${messageOf(error).trim()}; check its name, or get it with \`docker pull ${image}\` first`,
    );
  }
  const pulled = await inspect(docker, image);
  if (pulled === undefined) throw new InputError(`docker: pulling ${image} brought no image of that name`);
  return pulled;
}

async function inspect(docker: Docker, image: string): Promise<Docker.ImageInspectInfo | undefined> {
  try {
    return await docker.getImage(image).inspect();
  } catch (error) {
    if ((error as { readonly statusCode?: number }).statusCode === 404) return undefined;
    throw explained(error);
  }
}
