import * as threads from "node:worker_threads";
import { SandboxError } from "../../../errors.ts";
import { locate } from "../optional.ts";
import type { Mounts } from "./mounts.ts";
import {
  engineThread,
  type FromEngine,
  guestThread,
  type ProgramSource,
  type RunOrder,
  type ToEngine,
} from "./thread.ts";

/** What a killed program wrote before is waited for so long. */
const DRAIN_MS = 300;

/** Takes what a program writes: 1 is stdout, 2 is stderr. */
export type OnOutput = (stream: 1 | 2, chunk: Uint8Array) => void;

export interface Order extends Omit<RunOrder, "program"> {
  readonly source: ProgramSource;
}

interface Run {
  readonly onOutput: OnOutput;
  end(exitCode: number, error?: Error): void;
}

/** Wasmer in a thread of its own: its second of compiling, and its programs, keep nobody waiting. */
export class WasmerThread {
  readonly #mounts: Mounts;
  readonly #worker: threads.Worker;
  readonly #programs = new Map<ProgramSource, number>();
  readonly #runs = new Map<number, Run>();
  #next = 1;
  /** Whether it may have lost threads, or have one that does not end: nothing more should run in it. */
  isSpent = false;

  /** @throws {InputError} if @wasmer/sdk is not installed. */
  constructor(mounts: Mounts) {
    this.#mounts = mounts;
    const sdkUrl = locate("@wasmer/sdk", "@wasmer/sdk/node");
    const workerData = {
      sdkUrl,
      guestUrl: new URL("node-worker.js", sdkUrl).href,
      guestText: textOf(guestThread),
    };
    this.#worker = new threads.Worker(textOf(engineThread, guestThread), {
      eval: true,
      workerData,
      execArgv: [],
    });
    this.#worker.on("message", (message: FromEngine) => this.#hear(message));
    this.#worker.on("error", (error) =>
      this.close(new SandboxError(`wasmer: Wasmer failed: ${error.message}`)),
    );
    this.#worker.on("exit", () => this.close(new SandboxError("wasmer: the thread of Wasmer ended")));
    this.#worker.unref();
  }

  get isIdle(): boolean {
    return this.#runs.size === 0;
  }

  /** Compiles a program ahead of its first run. */
  load(source: ProgramSource): number {
    const known = this.#programs.get(source);
    if (known !== undefined) return known;
    const id = this.#next++;
    this.#programs.set(source, id);
    this.#tell({ type: "program", id, source });
    return id;
  }

  /** Resolves to the exit code, 137 if it was killed by the signal. @throws {SandboxError} if Wasmer itself fails. */
  run({ source, ...order }: Order, onOutput: OnOutput, signal: AbortSignal): Promise<number> {
    const program = this.load(source);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const kill = (): void => {
        this.isSpent = true;
        const callers = Object.values(order.mounts).flatMap((mount) => this.#mounts.callersOf(mount));
        this.#tell({ type: "kill", id, callers: [...new Set(callers)] });
        timer = setTimeout(() => end(137), DRAIN_MS);
      };
      const end = (exitCode: number, error?: Error): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", kill);
        this.#runs.delete(id);
        if (this.isIdle) this.#worker.unref();
        if (error && !signal.aborted) reject(error);
        else resolve(signal.aborted ? 137 : exitCode);
      };
      this.#worker.ref();
      this.#runs.set(id, { onOutput, end });
      signal.addEventListener("abort", kill);
      this.#tell({ type: "run", id, order: { ...order, program } });
    });
  }

  /** Ends the thread and all that runs in it. */
  close(reason: Error): void {
    this.isSpent = true;
    void this.#worker.terminate();
    for (const run of this.#runs.values()) run.end(137, reason);
  }

  #tell(message: ToEngine): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromEngine): void {
    if (message.type === "caller") {
      this.#mounts.serve(message.caller, message.port, message.signal);
      return;
    }
    const run = this.#runs.get(message.id);
    if (message.type === "output") {
      run?.onOutput(message.stream, message.chunk);
      this.#tell({ type: "more", id: message.id, stream: message.stream });
    } else {
      const { error } = message;
      if (error !== undefined) this.isSpent = true;
      run?.end(message.exitCode, error === undefined ? undefined : new SandboxError(`wasmer: ${error}`));
    }
  }
}

/** A program for a thread that calls a function, whether it is taken for a script or for a module. */
function textOf(run: typeof engineThread | typeof guestThread, more?: typeof guestThread): string {
  const call = `(${run})(threads, (url) => import(url)${more ? `, ${more}` : ""})`;
  return `import("node:worker_threads").then((threads) => ${call});`;
}
