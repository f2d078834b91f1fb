import { availableParallelism } from "node:os";
import { SandboxError } from "../../../errors.ts";
import { Mounts } from "./mounts.ts";
import { type OnOutput, type Order, WasmerThread } from "./wasmer-thread.ts";

/**
 * Runs programs under Wasmer, as many at once as there are cores (two at least); the others wait their turn. A
 * program that was killed may leave its thread in a loop or Wasmer's memory locked, so that thread gets no more
 * programs, and is ended with the last that it has; the next one starts while nobody waits for it yet.
 */
export class Engine {
  readonly mounts: Mounts = new Mounts();
  readonly #waiting: (() => void)[] = [];
  readonly #threads = new Set<WasmerThread>();
  #numRunning = 0;

  /** Resolves to the exit code, 137 if it was killed by the signal. @throws {SandboxError} if Wasmer itself fails. */
  async run(order: Order, onOutput: OnOutput, signal: AbortSignal): Promise<number> {
    await this.#turn(signal);
    try {
      if (signal.aborted) return 137;
      return await this.#thread().run(order, onOutput, signal);
    } finally {
      if (this.#sweep()) this.#thread().load(order.source);
      this.#numRunning--;
      if (this.#numRunning < Math.max(2, availableParallelism())) this.#waiting.shift()?.();
    }
  }

  /** Ends all that runs. The engine starts again with the next program. */
  close(): void {
    for (const thread of this.#threads) thread.close(new SandboxError("wasmer: closed"));
    this.#threads.clear();
  }

  /** Resolves when there is room, or at once on an abort. */
  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#numRunning >= Math.max(2, availableParallelism())) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener("abort", () => {
          const at = this.#waiting.indexOf(resolve);
          if (at >= 0) this.#waiting.splice(at, 1);
          resolve();
        });
      });
    }
    this.#numRunning++;
  }

  #thread(): WasmerThread {
    for (const thread of this.#threads) if (!thread.isSpent) return thread;
    const thread = new WasmerThread(this.mounts);
    this.#threads.add(thread);
    return thread;
  }

  /** Ends the spent threads that nothing runs in. @returns whether there were any. */
  #sweep(): boolean {
    const done = [...this.#threads].filter((thread) => thread.isSpent && thread.isIdle);
    for (const thread of done) {
      thread.close(new SandboxError("wasmer: closed"));
      this.#threads.delete(thread);
    }
    return done.length > 0;
  }
}
