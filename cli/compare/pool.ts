import { Worker } from "node:worker_threads";
import { ForkGymError } from "../../core/errors.ts";
import { type CellKey, type CellResult, cellName } from "./cell.ts";

export interface PoolOptions {
  /** Threads. */
  readonly workers: number;
  readonly signal: AbortSignal;
  /** Told of each update, of any cell. */
  readonly onUpdate: () => void;
  readonly onResult: (result: CellResult) => Promise<void>;
}

type Answer = { readonly update?: number; readonly result?: CellResult; readonly error?: string };

/** Runs cells on worker threads. Ends when all are done, or soon after an abort, and then without those under way. */
export async function runCells(keys: readonly CellKey[], options: PoolOptions): Promise<void> {
  const queue = [...keys];
  const { signal, workers } = options;
  const threads = Array.from({ length: Math.min(workers, queue.length) }, () => runThread(queue, options));
  try {
    await Promise.all(threads);
  } finally {
    queue.length = 0;
    await Promise.allSettled(threads);
  }
  signal.throwIfAborted();
}

async function runThread(queue: CellKey[], { signal, onUpdate, onResult }: PoolOptions): Promise<void> {
  const worker = new Worker(new URL("./worker.js", import.meta.url));
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop);
  try {
    for (let key = queue.shift(); key !== undefined && !signal.aborted; key = queue.shift()) {
      const result = await ask(worker, key, onUpdate);
      if (result !== undefined) await onResult(result);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

/** The worker's result; undefined if it was terminated. */
function ask(worker: Worker, key: CellKey, onUpdate: () => void): Promise<CellResult | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.off("exit", onExit);
      finish();
    };
    const onMessage = ({ update, result, error }: Answer) => {
      if (update !== undefined) onUpdate();
      if (result !== undefined) settle(() => resolve(result));
      if (error !== undefined)
        settle(() => reject(new ForkGymError(`compare: cell ${cellName(key)}: ${error}`)));
    };
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = () => settle(() => resolve(undefined));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
    worker.postMessage(key);
  });
}
