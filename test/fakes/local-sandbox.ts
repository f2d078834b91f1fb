import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { setImmediate, setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { Snapshot } from "../../core/env.ts";
import { FileError, messageOf, SandboxError, SnapshotError } from "../../core/errors.ts";
import { Capture } from "../../core/sandbox/captured.ts";
import { checkExec, EXEC_DEFAULTS } from "../../core/sandbox/options.ts";
import type {
  Command,
  ExecOptions,
  ExecResult,
  Sandbox,
  SandboxFlags,
  ShellState,
} from "../../core/sandbox/sandbox.ts";

const run = promisify(execFile);
const PATH = process.env.PATH ?? "/usr/bin:/bin";
const MARK = "LOCAL_SANDBOX";
/** Not part of the shell state: each shell sets them anew. */
const NOT_KEPT = [MARK, "PATH", "SHLVL", "_", "PWD", "OLDPWD"];

/** A saved world. Its `cwd` is relative to the root if it is below. */
interface Saved {
  readonly root: string;
  readonly shell: ShellState;
}

const store = new Map<string, Saved>();

/**
 * Real processes in a folder of their own, without a wall around them: for trying the contract, not for strangers'
 * code. A fork copies the folder. Finds processes by group, by descent and by a mark in their variables.
 */
export class LocalSandbox implements Sandbox {
  readonly flags: SandboxFlags = { backend: "local", backgroundProcesses: true, anyProgram: true };
  readonly root: string;
  shell: ShellState;
  readonly #id: string = randomUUID();
  readonly #running = new Set<AbortController>();
  readonly #runs = new Set<Promise<unknown>>();
  #closed = false;
  protected last: { readonly id: string; readonly print: string } | undefined;

  constructor(root: string, shell: ShellState = { cwd: root, env: {} }) {
    this.root = root;
    this.shell = shell;
  }

  /** A sandbox of this class with an empty folder. */
  static async make(this: new (root: string) => LocalSandbox): Promise<LocalSandbox> {
    return new this(await folder());
  }

  protected check(): void {
    if (this.#closed) throw new SandboxError("local: the sandbox is closed");
    if (!existsSync(this.root)) throw new SandboxError("local: the sandbox is gone");
  }

  protected path(path: string): string {
    return resolve(this.shell.cwd, path);
  }

  async exec(command: Command, options: ExecOptions = {}): Promise<ExecResult> {
    const run = this.#exec(command, options);
    this.#runs.add(run);
    try {
      return await run;
    } finally {
      this.#runs.delete(run);
    }
  }

  async #exec(command: Command, options: ExecOptions): Promise<ExecResult> {
    checkExec(command, options);
    this.check();
    options.signal?.throwIfAborted();
    const cwd = this.path(options.cwd ?? ".");
    const found = await stat(cwd).catch(() => undefined);
    this.check();
    if (!found?.isDirectory()) throw new FileError(`local: no such folder to run in: ${cwd}`);
    const scratch = await folder();
    const stopped = new AbortController();
    this.#running.add(stopped);
    try {
      const signals = [stopped.signal, ...(options.signal ? [options.signal] : [])];
      const argv = await this.argv(command, options, scratch);
      const result = await this.#spawn(argv, cwd, options, AbortSignal.any(signals));
      this.check();
      if (options.keepShell) await this.#keep(scratch);
      return result;
    } finally {
      this.#running.delete(stopped);
      await rm(scratch, { recursive: true, force: true });
    }
  }

  /** A script becomes a file outside of the sandbox's folder; a second one runs it and saves the shell. */
  protected async argv(
    command: Command,
    { merge, keepShell }: ExecOptions,
    scratch: string,
  ): Promise<string[]> {
    const merged = merge ? ["sh", "-c", 'exec "$@" 2>&1', "sh"] : [];
    if (typeof command !== "string") return [...merged, ...command];
    await writeFile(join(scratch, "script"), command);
    if (keepShell) await writeFile(join(scratch, "start"), this.keeping(scratch));
    const shell = PATH.split(":").some((at) => existsSync(join(at, "bash"))) ? "bash" : "sh";
    return [...merged, shell, join(scratch, keepShell ? "start" : "script")];
  }

  protected keeping(scratch: string): string {
    const save = `pwd > ${scratch}/cwd; env -0 > ${scratch}/env`;
    return `trap 'code=$?; PATH=${PATH}; ${save}; exit $code' EXIT\n. ${scratch}/script`;
  }

  async #keep(scratch: string): Promise<void> {
    const saved = await Promise.all([readFile(join(scratch, "cwd"), "utf8"), this.variables(scratch)]).catch(
      () => {},
    );
    if (saved) this.keep({ cwd: saved[0].slice(0, -1), env: saved[1] });
  }

  protected keep(shell: ShellState): void {
    this.shell = shell;
  }

  protected async variables(scratch: string): Promise<Record<string, string>> {
    const lines = (await readFile(join(scratch, "env"), "utf8")).split("\0").filter(Boolean);
    const pairs = lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
    return Object.fromEntries(pairs.filter(([name]) => !NOT_KEPT.includes(name!)));
  }

  protected base(): Record<string, string | undefined> {
    return { PATH };
  }

  async #spawn(argv: string[], cwd: string, options: ExecOptions, signal: AbortSignal): Promise<ExecResult> {
    const { timeoutMs, outputBytes, stdin, env } = { ...EXEC_DEFAULTS, ...options };
    const mark = `${this.#id}/${randomUUID()}`;
    const began = performance.now();
    const variables = { ...this.base(), ...this.shell.env, ...env, [MARK]: mark };
    const child = spawn(argv[0]!, argv.slice(1), { cwd, env: variables, detached: true, stdio: "pipe" });
    const [stdout, stderr] = [this.capture(outputBytes), this.capture(outputBytes)];
    let chunks = 0;
    const take = (into: Capture) => (chunk: Uint8Array) => {
      chunks++;
      into.add(chunk);
    };
    child.stdout.on("data", take(stdout));
    child.stderr.on("data", take(stderr));
    this.feed(child, stdin);

    let timedOut = false;
    const stop = () => this.kill(child, mark);
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    signal.addEventListener("abort", stop);
    try {
      const exitCode = await this.over(child, () => chunks);
      if (signal.aborted) throw signal.reason;
      const ms = performance.now() - began;
      return { exitCode, timedOut, stdout: stdout.result(), stderr: stderr.result(), ms };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** When the command has ended and nothing more comes; a child of its may still hold the pipe. */
  protected async over(child: ChildProcess, chunks: () => number): Promise<number> {
    const closed = new Promise((done) => child.once("close", done));
    const exitCode = await new Promise<number>((done) => {
      child.once("exit", (code, signal) => done(code ?? 128 + constants.signals[signal!]));
      child.once("error", (error: NodeJS.ErrnoException) => done(error.code === "ENOENT" ? 127 : 126));
    });
    if (child.pid === undefined) return exitCode;
    const quiet = async () => {
      let before = -1;
      for (let round = 0; round < 30 && before !== chunks(); round++) {
        before = chunks();
        await wait(30);
        await setImmediate(); // After a look at the pipes, however late the timer was.
      }
    };
    await Promise.race([closed, quiet()]);
    return exitCode;
  }

  protected capture(limit: number): Capture {
    return new Capture(limit);
  }

  protected feed(child: ChildProcess, stdin: string | Uint8Array = ""): void {
    child.stdin!.on("error", () => {}); // It need not read its input.
    child.stdin!.end(stdin);
  }

  protected kill(child: ChildProcess, mark: string): void {
    killAll(() => processesOf(child.pid!, `${MARK}=${mark}`));
  }

  async readFile(path: string): Promise<Uint8Array> {
    return this.#file(path, async (full) => {
      if (!(await stat(full)).isFile()) throw new Error("not a regular file");
      return readFile(full);
    });
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    await this.#file(path, async (full) => {
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, content);
    });
  }

  async putArchive(path: string, tar: Uint8Array): Promise<void> {
    await this.#file(path, async (full) => {
      await mkdir(full, { recursive: true });
      const unpacked = run("tar", ["-x", "-p", "--no-same-owner", "-C", full]);
      unpacked.child.stdin!.on("error", () => {});
      unpacked.child.stdin!.end(tar);
      await unpacked;
    });
  }

  async #file<T>(path: string, act: (full: string) => Promise<T>): Promise<T> {
    this.check();
    return act(this.path(path)).catch((error: unknown) => {
      throw new FileError(`local: ${path}: ${messageOf(error)}`);
    });
  }

  async snapshot(): Promise<Snapshot> {
    this.check();
    await Promise.allSettled(this.#runs);
    const print = JSON.stringify(this.shell) + fingerprint(this.root);
    if (this.last?.print !== print || !this.fresh(this.last.id)) {
      this.last = { id: randomUUID(), print };
      const cwd = this.#move(this.shell.cwd, this.root, "/");
      store.set(this.last.id, { root: await this.save(), shell: { ...this.shell, cwd } });
    }
    return { kind: "local", id: this.last.id };
  }

  protected fresh(id: string): boolean {
    return store.has(id);
  }

  protected async save(): Promise<string> {
    const copy = await folder();
    await this.#copy(this.root, copy);
    return copy;
  }

  async #copy(from: string, to: string): Promise<void> {
    await run("cp", [this.copyOptions(), `${from}/.`, to]);
  }

  protected copyOptions(): string {
    return "-a";
  }

  async fork({ kind, id }: Snapshot): Promise<LocalSandbox> {
    this.check();
    const saved = kind === "local" && typeof id === "string" ? store.get(id) : undefined;
    if (!saved) throw new SnapshotError(`local: no such snapshot, or it was released: ${kind} ${id}`);
    const root = await this.load(saved.root);
    const Same = this.constructor as new (root: string, shell: ShellState) => LocalSandbox;
    return new Same(root, { ...saved.shell, cwd: this.#move(saved.shell.cwd, "/", root) });
  }

  protected async load(saved: string): Promise<string> {
    const root = await folder();
    await this.#copy(saved, root);
    return root;
  }

  #move(path: string, from: string, to: string): string {
    const inside = relative(from, path);
    return inside.startsWith("..") || isAbsolute(inside) ? path : join(to, inside);
  }

  async release({ id }: Snapshot): Promise<void> {
    await this.free([String(id)]);
  }

  protected async free(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const root = store.get(id)?.root;
      store.delete(id);
      if (root) await rm(root, { recursive: true, force: true });
    }
  }

  protected saved(): readonly string[] {
    return [...store.keys()];
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.end();
  }

  /** Kills what runs and removes the folder. */
  protected async end(): Promise<void> {
    for (const command of this.#running) command.abort(new SandboxError("local: the sandbox was closed"));
    await this.killFromOutside();
  }

  /** The sandbox is not told. */
  async killFromOutside(): Promise<void> {
    const gone = `${this.root}-gone`;
    await rename(this.root, gone).catch(() => {});
    killAll(() => processesOf(0, `${MARK}=${this.#id}/`));
    await rm(gone, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function folder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "forkgym-local-"));
}

/** Again until nothing is left: a process may start another while it is looked for. */
function killAll(find: () => readonly number[]): void {
  for (let round = 0; round < 20; round++) {
    const pids = find();
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
  }
}

/** Processes of a group, their descendants, and those with a mark in their variables. */
function processesOf(group: number, mark: string): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const infos = all.flatMap((name) => {
    try {
      const [state, parent, pgid] = readFileSync(`/proc/${name}/stat`, "latin1")
        .replace(/^.*\) /s, "")
        .split(" ");
      const marked = `\0${readFileSync(`/proc/${name}/environ`, "latin1")}`.includes(`\0${mark}`);
      return state === "Z"
        ? []
        : [{ pid: Number(name), parent: Number(parent), mine: marked || Number(pgid) === group }];
    } catch {
      return []; // It ended while it was looked at.
    }
  });
  const mine = new Set(infos.filter((info) => info.mine).map((info) => info.pid));
  for (let size = -1; size !== mine.size; ) {
    size = mine.size;
    for (const { pid, parent } of infos) if (mine.has(parent)) mine.add(pid);
  }
  mine.delete(process.pid);
  return [...mine];
}

/** Changes when anything below a folder does. Names need not be UTF-8. */
function fingerprint(root: string): string {
  const lines: string[] = [];
  const walk = (path: Buffer): void => {
    const found = lstatSync(path, { bigint: true });
    const { ino, mode, size, mtimeNs, ctimeNs } = found;
    lines.push([path.toString("latin1"), ino, mode, size, mtimeNs, ctimeNs].join());
    if (!found.isDirectory()) return;
    for (const name of readdirSync(path, { encoding: "buffer" }))
      walk(Buffer.concat([path, Buffer.from("/"), name]));
  };
  walk(Buffer.from(root));
  return lines.sort().join("\n");
}
