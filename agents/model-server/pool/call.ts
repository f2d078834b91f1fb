import type { Sample, SampleRequest } from "../model-server.ts";
import type { Tree } from "./queue.ts";

/** One request to a pool, from asking to its end. As with any promise, what comes after it has settled is dropped. */
export class Call {
  readonly tree: Tree;
  readonly request: SampleRequest;
  readonly askedAt: number;
  /** Aborts when the reply is no longer wanted. */
  readonly controller: AbortController = new AbortController();
  readonly #resolve: (sample: Sample) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #unlisten: () => void;
  #settled = false;

  constructor(parts: {
    readonly tree: Tree;
    readonly request: SampleRequest;
    readonly askedAt: number;
    readonly signal: AbortSignal | undefined;
    readonly onAbort: (call: Call) => void;
    readonly resolve: (sample: Sample) => void;
    readonly reject: (reason: unknown) => void;
  }) {
    const { signal } = parts;
    this.tree = parts.tree;
    this.request = parts.request;
    this.askedAt = parts.askedAt;
    this.#resolve = parts.resolve;
    this.#reject = parts.reject;
    const stop = () => {
      this.stop(signal!.reason);
      parts.onAbort(this);
    };
    signal?.addEventListener("abort", stop, { once: true });
    this.#unlisten = () => signal?.removeEventListener("abort", stop);
  }

  get settled(): boolean {
    return this.#settled;
  }

  resolve(sample: Sample): void {
    this.#settle();
    this.#resolve(sample);
  }

  reject(reason: unknown): void {
    this.#settle();
    this.#reject(reason);
  }

  /** Rejects, and tells the server if it has been sent. */
  stop(reason: unknown): void {
    this.reject(reason);
    this.controller.abort(reason);
  }

  #settle(): void {
    this.#settled = true;
    this.#unlisten();
  }
}
