import { ServerError, type ServerFault } from "../../../agents/model-server/errors.ts";
import type { ModelServer, Sample, SampleRequest } from "../../../agents/model-server/model-server.ts";
import { createRng } from "../../../core/rng.ts";

/** Fault of the n-th request, counted from 0; undefined to answer it. */
type Faults = (request: number) => ServerFault | undefined;

interface FakeOptions {
  /** @default true */
  readonly exact?: boolean;
  /** @default none */
  readonly faults?: Faults;
  /** Goes into every sample. */
  readonly more?: Partial<Sample>;
}

/**
 * A server in the process: samples what `tokens` makes of a request's seed, and keeps what it was asked. The tokens
 * depend on the seed alone, so a fork that draws its own seeds goes its own way.
 */
export function fakeServer(
  tokens: (seed: number) => readonly number[],
  { exact = true, faults = () => undefined, more = {} }: FakeOptions = {},
): ModelServer & { readonly asked: SampleRequest[] } {
  const asked: SampleRequest[] = [];
  return {
    name: "fake",
    tokenExact: exact,
    asked,
    async sample(request, signal) {
      signal?.throwIfAborted();
      const fault = faults(asked.push(request) - 1);
      if (fault !== undefined) throw new ServerError(fault, `fake: ${fault}`, { retryAfterMs: 1 });
      const tokenIds = tokens(request.seed);
      const rng = createRng(request.seed);
      const ids = {
        promptTokenIds: request.promptTokenIds!,
        tokenIds,
        logprobs: tokenIds.map(() => -rng.next()),
      };
      return {
        ...(exact && ids),
        text: String(request.seed % 9),
        finishReason: "stop",
        promptTokens: request.promptTokenIds?.length ?? 10,
        generatedTokens: tokenIds.length,
        endpoint: "http://fake",
        ...more,
      };
    },
    close: async () => {},
  };
}
