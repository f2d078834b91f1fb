import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import type Docker from "dockerode";
import { birthOf } from "../../process.ts";
import { listMade, removeMade } from "./gc.ts";

/** What a client needs to reach the same daemon from another process; the rest comes from the same variables. */
const CLIENT = [
  ...["protocol", "host", "port", "socketPath", "pathPrefix", "username", "password"],
  ...["ca", "cert", "key", "headers", "version", "sshOptions"],
];

/** Name of the variable that tells the reaper what to do; a command line could be read by everybody. */
const TASK = "FORKGYM_REAPER";

/** How long a process that ends waits for its reapers, which go on without it. */
const WAIT_MS = 1500;
const STEP_MS = 10;

interface Task {
  /** Path of dockerode. */
  readonly dockerode: string;
  readonly client: object;
  readonly owner: string;
  /** Whether something was just being made, so that it may appear only later. */
  readonly patient: boolean;
}

/**
 * Removes everything of an owner by processes of their own, one for each daemon, and waits for them for a while.
 * Blocks: for a process that ends. Throws nothing.
 * @param patient whether something was just being made.
 */
export function reap(dockers: Iterable<Docker>, owner: string, patient: boolean): void {
  const clients = new Set([...dockers].map((docker) => JSON.stringify(clientOf(docker))));
  const pids = [...clients].map((client) => start(client, owner, patient));
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (
    let ms = 0;
    ms < WAIT_MS && pids.some((pid) => pid !== undefined && birthOf(pid) !== "");
    ms += STEP_MS
  ) {
    Atomics.wait(clock, 0, 0, STEP_MS);
  }
}

function clientOf(docker: Docker): object {
  const modem = docker.modem as unknown as Readonly<Record<string, unknown>>;
  const fields = CLIENT.map((name) => [name, modem[name]]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined && typeof value !== "function"));
}

function start(client: string, owner: string, patient: boolean): number | undefined {
  try {
    const dockerode = createRequire(import.meta.url).resolve("dockerode");
    const task: Task = { dockerode, client: JSON.parse(client), owner, patient };
    // A program given as text works the same from the sources, compiled, and bundled into one file.
    const program = `(${reaper})(${listMade}, ${removeMade}, process.env.${TASK})`;
    const child = spawn(process.execPath, ["-e", program], {
      cwd: "/",
      detached: true,
      stdio: "ignore",
      env: { ...process.env, NODE_OPTIONS: "", [TASK]: JSON.stringify(task) },
    });
    child.on("error", () => {});
    child.unref();
    return child.pid;
  } catch {
    return undefined; // No process can be started any more; `forkgym gc` will do it.
  }
}

/** The reaper's main function. Stands alone: only its text gets there. */
async function reaper(list: typeof listMade, remove: typeof removeMade, text: string): Promise<void> {
  const { dockerode, client, owner, patient } = JSON.parse(text, (_, value) =>
    value?.type === "Buffer" ? Buffer.from(value.data) : value,
  ) as Task;
  const docker = new (require(dockerode) as typeof Docker)(client);
  let quiet = 0;
  // Half a minute at most, and done when nothing was found twice, or for ten seconds.
  for (let round = 0; round < 150 && quiet < (patient ? 50 : 2); round++) {
    if (round > 0) await new Promise((resolve) => setTimeout(resolve, 200));
    const found = (await list(docker)).filter((made) => `${made.owner} `.startsWith(`${owner} `));
    quiet = found.length === 0 ? quiet + 1 : 0;
    await remove(docker, found);
  }
}
