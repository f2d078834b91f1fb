interface Call<T> {
  readonly result: Promise<T | undefined>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Results by key, the least recently used dropped first. Who asks for a key that is being computed waits for that
 * computation, which is aborted only once nobody waits any more. `undefined` and errors are not kept.
 */
export class SharedCalls<T> {
  readonly #most: number;
  readonly #kept = new Map<string, T>();
  readonly #running = new Map<string, Call<T>>();
  /** Requests that needed no computation of their own. */
  hits = 0;

  /** Keeps `most` results, from 0 up. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Rejects with the signal's reason as soon as it aborts. */
  async get(
    key: string,
    signal: AbortSignal,
    compute: (signal: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    signal.throwIfAborted();
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.hits++;
      this.#keep(key, kept);
      return kept;
    }
    const running = this.#running.get(key);
    if (running !== undefined) this.hits++;
    const call = running ?? this.#start(key, compute);
    call.waiting++;
    try {
      return await untilAborted(call.result, signal);
    } finally {
      if (--call.waiting === 0) {
        this.#forget(key, call);
        call.controller.abort(signal.reason);
      }
    }
  }

  #start(key: string, compute: (signal: AbortSignal) => Promise<T | undefined>): Call<T> {
    const controller = new AbortController();
    const result = compute(controller.signal);
    const call: Call<T> = { result, controller, waiting: 0 };
    this.#running.set(key, call);
    result.then(
      (value) => {
        this.#forget(key, call);
        if (value !== undefined) this.#keep(key, value);
      },
      () => this.#forget(key, call),
    );
    return call;
  }

  #forget(key: string, call: Call<T>): void {
    if (this.#running.get(key) === call) this.#running.delete(key);
  }

  #keep(key: string, value: T): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    if (this.#kept.size > this.#most) this.#kept.delete(this.#kept.keys().next().value!);
  }
}

/** What `promise` comes to, or a rejection with the signal's reason, whichever is first. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    if (signal.aborted) onAbort();
  });
}
