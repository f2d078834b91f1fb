import { posix } from "node:path";
import type { Snapshot } from "../../env.ts";
import { SandboxError } from "../../errors.ts";
import { captured } from "../captured.ts";
import { checkExec, EXEC_DEFAULTS } from "../options.ts";
import type {
  Captured,
  Command,
  ExecOptions,
  ExecResult,
  Sandbox,
  SandboxFlags,
  ShellState,
} from "../sandbox.ts";
import type { Reply } from "./connection.ts";
import type { Machine } from "./machine.ts";

/** What the two ways of forking do differently. */
export interface Engine {
  readonly flags: SandboxFlags;
  /** No command runs. `changed` says whether any may have written since the last snapshot. */
  snapshot(place: Place, shell: ShellState): Promise<Snapshot>;
  fork(snapshot: Snapshot): Promise<Sandbox>;
  release(snapshot: Snapshot): Promise<void>;
  close(place: Place): Promise<void>;
}

/** Where a sandbox's commands run: a container, and the branch in it where there are branches. */
export interface Place {
  readonly machine: Machine;
  readonly branch?: number;
  /** Whether anything ran or was written since the last snapshot. */
  touched: boolean;
}

/** How long after its time-out a command may be unanswered, on a busy machine and with much output to send. */
const GRACE_MS = 60_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A sandbox in Docker, over either engine. */
export class DockerSandbox implements Sandbox {
  readonly #engine: Engine;
  readonly #place: Place;
  #shell: ShellState;
  readonly #running = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(engine: Engine, place: Place, shell: ShellState) {
    this.#engine = engine;
    this.#place = place;
    this.#shell = shell;
  }

  get flags(): SandboxFlags {
    return this.#engine.flags;
  }

  get shell(): ShellState {
    return this.#shell;
  }

  async exec(command: Command, options: ExecOptions = {}): Promise<ExecResult> {
    checkExec(command, options);
    const { signal, merge = false, keepShell = false } = options;
    const { timeoutMs, outputBytes } = { ...EXEC_DEFAULTS, ...options };
    signal?.throwIfAborted();
    const request = {
      ...(typeof command === "string" ? { script: command } : { argv: command }),
      cwd: posix.resolve(this.#shell.cwd, options.cwd ?? "."),
      env: { ...this.#shell.env, ...options.env },
      ...(this.#shell.unset && { unset: this.#shell.unset }),
      timeoutMs,
      outputBytes,
      merge,
      keep: keepShell,
    };
    let onAbort: (() => void) | undefined;
    const watchdog = this.#watchdog(timeoutMs);
    try {
      const reply = await this.#request(request, bytesOf(options.stdin ?? ""), (kill) => {
        onAbort = kill;
        signal?.addEventListener("abort", kill, { once: true });
      });
      signal?.throwIfAborted();
      const { exitCode, timedOut, ms, shell, omitted } = reply.answer as {
        exitCode: number;
        timedOut: boolean;
        ms: number;
        shell: Partial<ShellState> | null;
        omitted: readonly number[];
      };
      if (shell !== null) this.#shell = shell.env ? (shell as ShellState) : { ...this.#shell, ...shell };
      return {
        exitCode,
        timedOut,
        ms,
        stdout: streamOf(reply, 0, omitted),
        stderr: streamOf(reply, 1, omitted),
      };
    } finally {
      clearTimeout(watchdog);
      if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
    }
  }

  async readFile(path: string): Promise<Uint8Array> {
    const reply = await this.#request(
      { builtin: "read", path: this.#resolve(path), outputBytes: null },
      new Uint8Array(),
    );
    return Buffer.concat(reply.output[0]?.[0] ?? []);
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    await this.#request({ builtin: "write", path: this.#resolve(path) }, bytesOf(content));
  }

  async putArchive(path: string, tar: Uint8Array): Promise<void> {
    await this.#request({ builtin: "unpack", path: this.#resolve(path) }, tar);
  }

  async snapshot(): Promise<Snapshot> {
    this.#checkOpen();
    await Promise.allSettled(this.#running);
    return this.#engine.snapshot(this.#place, this.#shell);
  }

  async fork(snapshot: Snapshot): Promise<Sandbox> {
    this.#checkOpen();
    return this.#engine.fork(snapshot);
  }

  /** Works on a sandbox whose container is gone too, for there may be something left to free. */
  async release(snapshot: Snapshot): Promise<void> {
    if (this.#closed !== undefined) throw new SandboxError("docker: the sandbox was closed");
    await this.#engine.release(snapshot);
  }

  close(): Promise<void> {
    this.#closed ??= this.#engine.close(this.#place);
    return this.#closed;
  }

  async #request(body: object, input: Uint8Array, onKey?: (kill: () => void) => void): Promise<Reply> {
    this.#checkOpen();
    const { machine, branch } = this.#place;
    if (!("builtin" in body && body.builtin === "read")) this.#place.touched = true;
    const work = machine.request(
      { op: "exec", ...(branch !== undefined && { branch }), ...body },
      input,
      onKey,
    );
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  /** The command server ends a command at its time-out. If that never comes, nothing here can be relied on. */
  #watchdog(timeoutMs: number): NodeJS.Timeout | undefined {
    const ms = timeoutMs + GRACE_MS;
    if (ms > LONGEST_TIMER_MS) return undefined;
    const why = `it does not answer: a command is not over ${GRACE_MS / 1000} s after its \`timeoutMs\` of ${timeoutMs}`;
    return setTimeout(() => this.#place.machine.abandon(why), ms).unref();
  }

  #resolve(path: string): string {
    return posix.resolve(this.#shell.cwd, path);
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new SandboxError("docker: the sandbox was closed");
    const { broken } = this.#place.machine.connection;
    if (broken !== undefined) throw broken;
  }
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : content;
}

function streamOf({ output }: Reply, stream: number, omitted: readonly number[]): Captured {
  const [head, tail] = output[stream] ?? [[], []];
  return captured(Buffer.concat(head), Buffer.concat(tail), omitted[stream] ?? 0);
}
