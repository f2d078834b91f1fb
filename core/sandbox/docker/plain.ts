import { Writable } from "node:stream";
import type Docker from "dockerode";
import { systemClock } from "../../clock.ts";
import { FileError, messageOf, SandboxError } from "../../errors.ts";
import { Capture } from "../captured.ts";
import type { ShellState } from "../sandbox.ts";
import type { Reply } from "./connection.ts";

/** What the command server would be asked; see server/6-executor.py. */
export interface PlainRequest {
  readonly script?: string;
  readonly argv?: readonly string[];
  readonly builtin?: "read" | "write" | "unpack";
  readonly path?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
  readonly timeoutMs?: number;
  readonly outputBytes?: number | null;
  readonly merge?: boolean;
  readonly keep?: boolean;
}

/** Process 1 of a container without a command server: it ends when its input does. */
export const PLAIN_ENTRYPOINT: readonly string[] = ["sh", "-c", "while read -r line; do :; done"];

/** Where a command leaves its number and its shell's state: a folder in memory that every container has. */
const NOTES = "/dev/shm/.forkgym-";

/** $1 name, $2 folder, $3 merge, $4 argv, script or file, then the argv, the script, or the file that holds it. */
const RUN = `name=$1 cwd=$2 merge=$3 kind=$4; shift 4
[ "$merge" = 1 ] && exec 2>&1
echo $$ > ${NOTES}$name
cd -- "$cwd" 2> /dev/null || { printf %s "$name" >&2; exit 125; }
[ "$kind" = argv ] && exec "$@"
for shell in bash sh /bin/bash /bin/sh; do command -v $shell > /dev/null 2>&1 && break; done
[ "$kind" = script ] && exec $shell -c "$1"
[ "$kind" = file ] && exec $shell -c ". $1"
env=env; [ -x /usr/bin/env ] && env=/usr/bin/env
[ "$kind" = keep ] && set -- 'eval "$1"' "$1" || set -- '. "$1"' "$1"
exec $shell -c "trap '{ printf \\"%s\\\\0\\" \\"\\$PWD\\"; $env -0; } >| ${NOTES}$name.state' EXIT; $1" $shell "$2"`;

/** Kills a command and what is below it; everything but process 1 if nothing else is to run ($2 = alone). */
const KILL = `[ "$2" = alone ] && kill -9 -1
below() { kill -STOP $1; for at in /proc/[0-9]*/status; do
  while read -r key value; do [ "$key" = PPid: ] && [ "$value" = "$1" ] && { pid=\${at#/proc/}; (below \${pid%/status}); }; done < $at
done 2> /dev/null; kill -9 $1; }
below $(cat ${NOTES}$1)`;

const FILES = {
  read: '[ -f "$1" ] || { [ -e "$1" ] && echo "$1: not a file" || echo "$1: no such file"; exit 1; } >&2; exec cat -- "$1"',
  write:
    '[ -d "$1" ] && { echo "$1: not a file" >&2; exit 1; }; mkdir -p -- "$(dirname -- "$1")" && cat > "$1" || { echo "$1: cannot be written" >&2; exit 1; }',
  unpack: 'mkdir -p -- "$1" && tar -x -f - -C "$1" || { echo "$1: cannot be unpacked to" >&2; exit 1; }',
} as const;

const LONGEST_SCRIPT = 100_000;
const FLEETING = ["_", "SHLVL", "PWD", "OLDPWD"];

let count = 0;
const running = new WeakMap<Docker.Container, Set<string>>();

/** Answers a request by `docker exec`: slower than the command server, but any image with `sh` will do. */
export async function plainRequest(
  container: Docker.Container,
  user: string | undefined,
  request: PlainRequest,
  input: Uint8Array,
  onKey: (kill: () => void) => void,
): Promise<Reply> {
  const exec = (argv: readonly string[], options: Partial<ExecOptions> = {}) =>
    dockerExec(container, argv, { user, env: [], input: new Uint8Array(), limit: null, ...options });
  if (request.builtin !== undefined) {
    const argv = ["sh", "-c", FILES[request.builtin], "sh", request.path!];
    const { exitCode, streams } = await exec(argv, { input });
    if (exitCode === 0) return { answer: {}, output: [[[streams[0].head], []]] };
    throw new FileError(`sandbox: ${Buffer.from(streams[1].head).toString("utf8").trim()}`);
  }
  const name = `${process.pid}-${count++}`;
  const others = running.get(container) ?? new Set();
  running.set(container, others.add(name));
  const started = systemClock.now();
  let timedOut = false;
  let main: Docker.Exec | undefined;
  const killOnce = () => exec(["sh", "-c", KILL, "sh", name, others.size === 1 ? "alone" : "among"]);
  const kill = () => void killSurely(container, killOnce, () => !others.has(name) || isOver(main));
  const timer = setTimeout(
    () => {
      timedOut = true;
      kill();
    },
    request.timeoutMs ?? 2 ** 31 - 1,
  );
  onKey(kill);
  try {
    const command = request.argv ?? [await scriptArgument(request.script!, name, exec)];
    const file = command[0] !== request.script && request.argv === undefined;
    const kind = request.argv
      ? "argv"
      : request.keep
        ? file
          ? "keep-file"
          : "keep"
        : file
          ? "file"
          : "script";
    const argv = [
      request.env?.PATH === undefined ? "sh" : "/bin/sh", // it is looked for where the command's programs are
      "-c",
      RUN,
      "sh",
      name,
      request.cwd ?? "/",
      request.merge ? "1" : "0",
      kind,
      ...command,
    ];
    const env = Object.entries(request.env ?? {}).map(([key, value]) => `${key}=${value}`);
    // A name alone takes a variable of the image away.
    env.unshift(...(request.unset ?? []).filter((key) => request.env?.[key] === undefined));
    const { exitCode, streams } = await exec(argv, {
      input,
      env,
      limit: request.outputBytes ?? null,
      onExec: (it) => {
        main = it;
      },
    });
    const said = Buffer.from(streams[request.merge ? 0 : 1].head).toString("utf8");
    if (exitCode === 125 && said === name) throw new FileError(`sandbox: no such folder: ${request.cwd}`);
    const shell = request.keep && !timedOut ? await shellState(name, exec) : null;
    return {
      answer: {
        exitCode: timedOut ? 137 : exitCode,
        timedOut,
        ms: systemClock.now() - started,
        shell,
        omitted: streams.map(({ omittedBytes }) => omittedBytes),
      },
      output: streams.map(({ head, tail }) => [[head], [tail]]),
    };
  } finally {
    clearTimeout(timer);
    others.delete(name);
    void exec(["sh", "-c", `rm -f ${NOTES}${name} ${NOTES}${name}.*`]).catch(() => {});
  }
}

/** How often a command is killed that goes on, how long each time is waited for its end, and between two looks. */
const KILLS = 3;
const KILL_MS = 3000;
const LOOK_MS = 100;

/** Kills a command, again if it goes on, as where no process may be made for it; in the end with the container. */
async function killSurely(
  container: Docker.Container,
  kill: () => Promise<unknown>,
  isOver: () => boolean | Promise<boolean>,
): Promise<void> {
  for (let tries = 0; tries < KILLS; tries++) {
    kill().catch(() => {});
    for (let ms = 0; ms < KILL_MS; ms += LOOK_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref());
      if (await isOver()) return;
    }
  }
  await container.remove({ force: true, v: true }).catch(() => {});
}

/** Whether a command that has begun has ended; not if the daemon does not say. */
async function isOver(exec: Docker.Exec | undefined): Promise<boolean> {
  try {
    return exec !== undefined && !(await exec.inspect()).Running;
  } catch {
    return false;
  }
}

type Exec = (argv: readonly string[], options?: Partial<ExecOptions>) => Promise<Executed>;

/** A script that is too long for an argument goes through a file. */
async function scriptArgument(script: string, name: string, exec: Exec): Promise<string> {
  if (script.length <= LONGEST_SCRIPT) return script;
  const file = `${NOTES}${name}.sh`;
  await exec(["sh", "-c", 'cat > "$1"', "sh", file], { input: Buffer.from(script) });
  return file;
}

/** Without variables where `env` could not be run. */
async function shellState(name: string, exec: Exec): Promise<Partial<ShellState> | null> {
  const { streams } = await exec(["sh", "-c", `cat ${NOTES}${name}.state; printf "\\0\\0"; env -0`]);
  const [kept, base = ""] = Buffer.from(streams[0].head).toString("utf8").split("\0\0\0");
  const [cwd, ...pairs] = kept!.split("\0");
  if (!cwd) return null;
  const [now, before] = [variables(pairs), variables(base.split("\0"))];
  if (now.size === 0) return { cwd };
  const env = [...now].filter(([key, value]) => before.get(key) !== value);
  const unset = [...before.keys()].filter((key) => !now.has(key)).sort();
  return { cwd, env: Object.fromEntries(env), ...(unset.length > 0 && { unset }) };
}

function variables(pairs: readonly string[]): Map<string, string> {
  const all = pairs.map((pair): [string, string] => [
    pair.slice(0, pair.indexOf("=")),
    pair.slice(pair.indexOf("=") + 1),
  ]);
  return new Map(all.filter(([key]) => key !== "" && !FLEETING.includes(key)));
}

interface ExecOptions {
  readonly user: string | undefined;
  readonly env: readonly string[];
  readonly input: Uint8Array;
  readonly limit: number | null;
  readonly onExec?: (exec: Docker.Exec) => void;
}

interface Executed {
  readonly exitCode: number;
  readonly streams: readonly [Parts, Parts];
}

type Parts = ReturnType<Capture["parts"]>;

async function dockerExec(
  container: Docker.Container,
  argv: readonly string[],
  options: ExecOptions,
): Promise<Executed> {
  const { user, env, input, limit, onExec } = options;
  try {
    const exec = await container.exec({
      Cmd: [...argv],
      Env: [...env],
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      ...(user !== undefined && { User: user }),
    });
    const stream = await exec.start({ hijack: true, stdin: true });
    onExec?.(exec);
    const captures = [0, 1].map(() => new Capture(limit ?? Number.MAX_SAFE_INTEGER));
    let lastMs = systemClock.now();
    const [out, err] = captures.map((capture) =>
      sink((chunk) => {
        lastMs = systemClock.now();
        capture.add(chunk);
      }),
    );
    container.modem.demuxStream(stream, out!, err!);
    stream.on("error", () => {});
    stream.end(Buffer.from(input));
    await ended(stream, exec, () => lastMs);
    const { ExitCode } = await exec.inspect();
    return { exitCode: ExitCode ?? 137, streams: [captures[0]!.parts(), captures[1]!.parts()] };
  } catch (error) {
    throw new SandboxError(`docker: container ${container.id.slice(0, 12)} is gone: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function sink(take: (chunk: Buffer) => void): Writable {
  return new Writable({
    write: (chunk: Buffer, _, done) => {
      take(chunk);
      done();
    },
  });
}

/** A stream of a command that has ended, but stays open and silent for so long, is held by a child that goes on. */
const SILENCE_MS = 1000;

/** Until the stream ends, or the command has and somebody else holds its pipe. */
async function ended(stream: NodeJS.ReadableStream, exec: Docker.Exec, lastMs: () => number): Promise<void> {
  let over = false;
  const end = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve());
  }).then(() => {
    over = true;
  });
  let endMs: number | undefined;
  for (let wait = 50; !over; wait = Math.min(wait * 1.5, 500)) {
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, wait).unref())]);
    if (over) return;
    // What it wrote may still be on its way, on a busy machine for long.
    if (endMs === undefined && !(await exec.inspect()).Running) endMs = systemClock.now();
    else if (endMs !== undefined && systemClock.now() - Math.max(endMs, lastMs()) > SILENCE_MS) return;
  }
}
