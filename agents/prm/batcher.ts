import { untilAborted } from "../judge/shared-calls.ts";

/** Calls `run` once, `ms` milliseconds from now. */
export type Schedule = (run: () => void, ms: number) => void;

/** Options of {@link Batcher}. */
export interface BatcherOptions<In, Out> {
  /** Results in the order of the items. */
  readonly run: (items: readonly In[], signal: AbortSignal) => Promise<readonly Out[]>;
  /** Most items of a batch. */
  readonly most: number;
  /** How long the first item of a batch waits for others, in milliseconds. */
  readonly windowMs: number;
  readonly schedule: Schedule;
}

interface Batch<In, Out> {
  readonly entries: Entry<In, Out>[];
  /** Aborted once nobody waits for any of its results. */
  readonly controller: AbortController;
  waiting: number;
}

interface Entry<In, Out> {
  readonly item: In;
  gone: boolean;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

/** Gathers what is asked for within a short time into one call. A batch that fails fails for each of its items. */
export class Batcher<In, Out> {
  readonly #options: BatcherOptions<In, Out>;
  #open: Batch<In, Out> | undefined;

  constructor(options: BatcherOptions<In, Out>) {
    this.#options = options;
  }

  /** Rejects with the signal's reason as soon as it aborts; an item not yet sent is then not sent. */
  async add(item: In, signal: AbortSignal): Promise<Out> {
    signal.throwIfAborted();
    const batch = this.#openBatch();
    const { promise, resolve, reject } = withResolvers<Out>();
    const entry: Entry<In, Out> = { item, gone: false, resolve, reject };
    batch.entries.push(entry);
    batch.waiting++;
    if (batch.entries.length >= this.#options.most) this.#send(batch);
    try {
      return await untilAborted(promise, signal);
    } finally {
      entry.gone = true;
      if (--batch.waiting === 0) batch.controller.abort(signal.reason);
    }
  }

  #openBatch(): Batch<In, Out> {
    if (this.#open !== undefined) return this.#open;
    const batch: Batch<In, Out> = { entries: [], controller: new AbortController(), waiting: 0 };
    this.#open = batch;
    this.#options.schedule(() => {
      if (this.#open === batch) this.#send(batch);
    }, this.#options.windowMs);
    return batch;
  }

  #send(batch: Batch<In, Out>): void {
    this.#open = undefined;
    const entries = batch.entries.filter(({ gone }) => !gone);
    if (entries.length === 0) return;
    this.#options
      .run(
        entries.map(({ item }) => item),
        batch.controller.signal,
      )
      .then(
        (results) => {
          for (const [index, { resolve }] of entries.entries()) resolve(results[index]!);
        },
        (error) => {
          for (const { reject } of entries) reject(error);
        },
      );
  }
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
