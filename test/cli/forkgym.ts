import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { inject, onTestFinished } from "vitest";

/** What a command left behind when it ended. */
export interface Ended {
  /** Null if a signal killed it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

export interface StartOptions {
  /** No file may grow beyond this: a disk that is full. @default no limit */
  readonly limitKiB?: number;
}

/** Starts `forkgym` with the arguments, separated by spaces, in a folder; killed if the test ends first. */
export function start(cwd: string, args: string, { limitKiB }: StartOptions = {}): Running {
  const main = join(inject("packageFolder"), "dist/cli/main.js");
  const command = [process.execPath, main, ...args.split(" ")];
  const limited = ["bash", "-c", `ulimit -f ${limitKiB} && exec "$@"`, "bash", ...command];
  const [file, ...rest] = limitKiB === undefined ? command : limited;
  const child = spawn(file!, rest, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { process: child, ended };
}

/** Runs `forkgym` to its end. */
export function forkgym(cwd: string, args: string, options?: StartOptions): Promise<Ended> {
  return start(cwd, args, options).ended;
}

/** The standard output of a command that must end well and say nothing on standard error. */
export async function quiet(cwd: string, args: string): Promise<string> {
  const { code, stdout, stderr } = await forkgym(cwd, args);
  if (code === 0 && stderr === "") return stdout;
  throw new Error(`forkgym ${args}: code ${code}, ${stderr}`);
}

/** A fresh folder that is gone when the test is over. */
export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "forkgym-test-"));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 3 }));
  return folder;
}

/** Whole lines of a file; none if it is not there yet. */
export async function linesOf(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return "";
  });
  return text.split("\n").slice(0, -1);
}

/** Waits until a file has so many whole lines, or the command has ended. */
export async function untilLines(file: string, count: number, running: Running): Promise<void> {
  while (running.process.exitCode === null && (await linesOf(file)).length < count) await setTimeout(2);
}
