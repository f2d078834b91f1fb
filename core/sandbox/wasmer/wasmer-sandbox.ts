import type { Clock } from "../../clock.ts";
import type { Snapshot } from "../../env.ts";
import { FileError, SandboxError } from "../../errors.ts";
import { checkExec, EXEC_DEFAULTS } from "../options.ts";
import type { Command, ExecOptions, ExecResult, Sandbox, SandboxFlags, ShellState } from "../sandbox.ts";
import { runCommand } from "./run-command.ts";
import type { Programs } from "./shell/programs.ts";
import { Stop } from "./shell/stop.ts";
import { again, giveBack, load, type Saved, save } from "./snapshots.ts";
import { Fault } from "./tree/fault.ts";
import { FileTree } from "./tree/file-tree.ts";
import { joined } from "./tree/path.ts";
import { untar } from "./tree/untar.ts";

/** A stopped command that does not return within so long is left behind, without its output. */
const STOP_GRACE_MS = 1000;

/** What a sandbox shares with its forks. */
export interface Parts {
  readonly programs: Programs;
  readonly clock: Clock;
  /** Told of each sandbox that opens, and gives what is to be called when it closes. */
  open(): () => void;
}

export class WasmerSandbox implements Sandbox {
  readonly flags: SandboxFlags = { backend: "wasmer", backgroundProcesses: false, anyProgram: false };
  readonly #parts: Parts;
  readonly #tree: FileTree;
  readonly #running = new Map<Stop, Promise<unknown>>();
  #shell: ShellState;
  #last: { readonly snapshot: Snapshot; readonly saved: Saved } | undefined;
  #onClose: (() => void) | undefined;

  constructor(parts: Parts, { files, shell }: Saved) {
    this.#parts = parts;
    this.#tree = new FileTree(files);
    this.#shell = shell;
    this.#onClose = parts.open();
  }

  get shell(): ShellState {
    return this.#shell;
  }

  async exec(command: Command, options: ExecOptions = {}): Promise<ExecResult> {
    this.#ensureOpen();
    checkExec(command, options);
    const { signal } = options;
    signal?.throwIfAborted();
    const { clock, programs } = this.#parts;
    const cwd = this.#folder(options.cwd ?? ".");
    const startMs = clock.now();
    const stop = new Stop(options.timeoutMs ?? EXEC_DEFAULTS.timeoutMs, clock);
    const onAbort = (): void => stop.now("abort");
    signal?.addEventListener("abort", onAbort);
    const run = runCommand({
      tree: this.#tree,
      programs,
      stop,
      command,
      cwd,
      env: { ...this.#shell.env, ...options.env },
      stdin: bytesOf(options.stdin ?? ""),
      merge: options.merge ?? false,
      keepShell: options.keepShell ?? false,
      outputBytes: options.outputBytes ?? EXEC_DEFAULTS.outputBytes,
    });
    const end = stop.soon(run, STOP_GRACE_MS);
    this.#running.set(stop, end);
    try {
      const { exitCode, stdout, stderr, state } = await end;
      if (stop.cause === "abort") throw signal!.reason;
      if (stop.cause === "close") throw closed();
      const timedOut = stop.cause === "time-out";
      if (state && stop.cause === undefined) this.#keep(state);
      const code = stop.cause === "kill" ? 128 + stop.killedBy : timedOut ? 137 : exitCode;
      return { exitCode: code, timedOut, stdout, stderr, ms: clock.now() - startMs };
    } finally {
      stop.done();
      signal?.removeEventListener("abort", onAbort);
      this.#running.delete(stop);
    }
  }

  async readFile(path: string): Promise<Uint8Array> {
    // A copy, since the content may be shared with other sandboxes.
    return this.#files(path, (absolute) => this.#tree.read(absolute).slice());
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    this.#files(path, (absolute) => {
      this.#tree.mkdirs(joined(absolute, ".."));
      this.#tree.write(absolute, new Uint8Array(bytesOf(content)));
    });
  }

  async putArchive(path: string, tar: Uint8Array): Promise<void> {
    this.#files(path, (absolute) => {
      this.#tree.mkdirs(absolute);
      untar(this.#tree, absolute, tar);
    });
  }

  async snapshot(): Promise<Snapshot> {
    this.#ensureOpen();
    await Promise.allSettled(this.#running.values());
    this.#ensureOpen();
    const saved = { files: this.#tree.state(), shell: this.#shell };
    const last = this.#last;
    const isSame = last?.saved.files.root === saved.files.root && last.saved.shell === saved.shell;
    if (last && isSame && again(last.snapshot)) return last.snapshot;
    const snapshot = save(saved);
    this.#last = { snapshot, saved };
    return snapshot;
  }

  async fork(snapshot: Snapshot): Promise<Sandbox> {
    this.#ensureOpen();
    return new WasmerSandbox(this.#parts, load(snapshot));
  }

  async release(snapshot: Snapshot): Promise<void> {
    giveBack(snapshot);
  }

  async close(): Promise<void> {
    for (const stop of this.#running.keys()) stop.now("close");
    this.#onClose?.();
    this.#onClose = undefined;
  }

  #ensureOpen(): void {
    if (!this.#onClose) throw closed();
  }

  #keep({ cwd, env }: ShellState): void {
    const old = this.#shell;
    const names = Object.keys(env);
    const isSame =
      names.length === Object.keys(old.env).length && names.every((name) => env[name] === old.env[name]);
    if (!isSame || cwd !== old.cwd) this.#shell = { cwd, env };
  }

  #folder(path: string): string {
    return this.#files(path, (folder) => {
      if (this.#tree.stat(folder).kind !== "folder") throw new Fault("ENOTDIR", folder);
      return joined("/", folder);
    });
  }

  #files<T>(path: string, work: (absolute: string) => T): T {
    this.#ensureOpen();
    const absolute = path.startsWith("/") ? path : joined(this.#shell.cwd, path);
    try {
      return work(absolute);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new FileError(`wasmer: cannot use ${absolute}: ${error.message}`, { cause: error });
    }
  }
}

function closed(): SandboxError {
  return new SandboxError("wasmer: the sandbox is closed");
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}
