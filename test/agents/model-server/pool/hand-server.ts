import { ServerError, type ServerFault } from "../../../../agents/model-server/errors.ts";
import type { ModelServer, Sample, SampleRequest } from "../../../../agents/model-server/model-server.ts";

interface Pending {
  readonly request: SampleRequest;
  readonly resolve: (sample: Sample) => void;
  readonly reject: (error: unknown) => void;
}

/** A server whose replies are given by hand, oldest first unless told otherwise. It keeps the seam's contract on aborts. */
export class HandServer implements ModelServer {
  readonly name: string;
  readonly tokenExact: boolean = true;
  readonly pending: Pending[] = [];
  /** Every request it was sent, in order. */
  readonly sent: SampleRequest[] = [];
  /** What waits now, at most so far. */
  most = 0;
  aborts = 0;
  closes = 0;
  weights: string | undefined = "w1";
  /** Set: every request fails with it at once. */
  down: ServerFault | undefined;

  constructor(name: string) {
    this.name = name;
  }

  sample(request: SampleRequest, signal?: AbortSignal): Promise<Sample> {
    this.sent.push(request);
    if (this.down !== undefined) return Promise.reject(new ServerError(this.down, `${this.name}: down`));
    return new Promise((resolve, reject) => {
      const pending = { request, resolve, reject };
      this.pending.push(pending);
      this.most = Math.max(this.most, this.pending.length);
      signal?.addEventListener("abort", () => {
        const place = this.pending.indexOf(pending);
        if (place < 0) return;
        this.pending.splice(place, 1);
        this.aborts++;
        reject(signal.reason);
      });
    });
  }

  async close(): Promise<void> {
    this.closes++;
  }

  /** Replies to the request at this place of `pending`. */
  reply(place = 0): void {
    const [{ request, resolve }] = this.pending.splice(place, 1) as [Pending];
    resolve(sampleOf(this.name, request, this.weights));
  }

  fail(fault: ServerFault, options: { readonly place?: number; readonly retryAfterMs?: number } = {}): void {
    const { place = 0, ...rest } = options;
    const [{ reject }] = this.pending.splice(place, 1) as [Pending];
    reject(new ServerError(fault, `${this.name}: ${fault}`, rest));
  }

  /** The trees of the requests that it was sent. */
  get trees(): (string | undefined)[] {
    return this.sent.map(({ affinity }) => affinity);
  }
}

let seeds = 0;

/** A request of this tree; its seed is its own. */
export function ask(affinity?: string): SampleRequest {
  return {
    promptTokenIds: [1, 2, 3],
    maxTokens: 8,
    temperature: 1,
    topP: 1,
    topK: -1,
    seed: seeds++,
    stopTokenIds: [],
    topLogprobs: 0,
    ...(affinity !== undefined && { affinity }),
  };
}

function sampleOf(endpoint: string, request: SampleRequest, weights: string | undefined): Sample {
  return {
    promptTokenIds: request.promptTokenIds ?? [],
    tokenIds: [7],
    logprobs: [-0.5],
    text: `reply to ${request.seed}`,
    finishReason: "stop",
    promptTokens: 3,
    generatedTokens: 1,
    cachedTokens: 2,
    endpoint,
    ...(weights !== undefined && { weightVersion: weights }),
  };
}
