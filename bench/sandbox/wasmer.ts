import { messageOf } from "../../core/errors.ts";
import type { Sandbox } from "../../core/sandbox/sandbox.ts";
import { createWasmerSandbox } from "../../core/sandbox/wasmer/index.ts";
import { FILE_BYTES } from "./changes.ts";

/** A workspace like a real one: 1,600 files, 32 MB. */
const FILES = 1_600;

/** Milliseconds of each kind, round by round, or why there are none. */
export interface WasmerTimes {
  readonly fork: number[];
  readonly firstShell: number[];
  readonly laterShell: number[];
  readonly firstPython: number[];
  readonly laterPython: number[];
  /** Memory that a fork takes before it has run a command, in bytes; over 200 of them. */
  readonly bytesPerFork: number;
}

/** Forks of a large workspace in a WebAssembly sandbox, and what the first command of a fork adds. */
export async function wasmerTimes(rounds: number): Promise<WasmerTimes | string> {
  let root: Sandbox;
  try {
    root = await createWasmerSandbox({ files: workspace(FILES) });
    await root.exec("true");
  } catch (error) {
    return messageOf(error);
  }
  const times = { fork: [], firstShell: [], laterShell: [], firstPython: [], laterPython: [] } as Record<
    string,
    number[]
  >;
  try {
    await root.exec(["python3", "-c", "pass"]);
    for (let round = 0; round < rounds; round++) {
      await root.writeFile("marker", String(round));
      const snapshot = await root.snapshot();
      const fork = await timed(times.fork!, async () => root.fork(snapshot));
      await timed(times.firstShell!, () => fork.exec("cat marker"));
      await timed(times.laterShell!, () => fork.exec("cat marker"));
      await timed(times.firstPython!, () => fork.exec(["python3", "-c", "pass"]));
      await timed(times.laterPython!, () => fork.exec(["python3", "-c", "pass"]));
      await fork.close();
      await root.release(snapshot);
    }
    return {
      ...(times as unknown as Omit<WasmerTimes, "bytesPerFork">),
      bytesPerFork: await bytesPerFork(root),
    };
  } finally {
    await root.close();
  }
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  times.push(performance.now() - started);
  return result;
}

async function bytesPerFork(root: Sandbox): Promise<number> {
  const count = 200;
  const snapshot = await root.snapshot();
  const before = process.memoryUsage();
  const forks = [];
  for (let each = 0; each < count; each++) forks.push(await root.fork(snapshot));
  const after = process.memoryUsage();
  await Promise.all(forks.map((fork) => fork.close()));
  await root.release(snapshot);
  return Math.max(0, after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / count;
}

/** A sandbox with so many files in /project; undefined where the packages for it are not installed. */
export async function wasmerWorkspace(files: number): Promise<Sandbox | undefined> {
  try {
    const sandbox = await createWasmerSandbox({ files: workspace(files), cwd: "/project", python: false });
    await sandbox.exec("true");
    return sandbox;
  } catch {
    return undefined;
  }
}

function workspace(count: number): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  for (let at = 0; at < count; at++)
    files[`pkg${at % 40}/file${at}.txt`] = new Uint8Array(FILE_BYTES).fill(97 + (at % 26));
  return files;
}
