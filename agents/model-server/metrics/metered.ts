import { type Clock, systemClock } from "../../../core/clock.ts";
import { messageOf } from "../../../core/errors.ts";
import { ServerError } from "../errors.ts";
import type { ModelServer, Sample } from "../model-server.ts";
import { sampledBy } from "../sampled-by.ts";
import type { Meter } from "./meter.ts";
import * as metrics from "./metrics.ts";

/** A stretch of time with a name, in the shape that a tracing library wants. Times are the clock's milliseconds. */
export interface Span {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/** Is told of each span as it ends. It should return at once; what it throws is dropped, for it must not cost a sample. */
export type OnSpan = (span: Span) => void;

export interface MeteredOptions {
  readonly meter?: Meter;
  /** Gets one `model.sample` span a request: endpoint, affinity, tokens, weights, or fault and message. */
  readonly onSpan?: OnSpan;
  /** The label. @default the server's name */
  readonly endpoint?: string;
  /** @default the system's */
  readonly clock?: Clock;
}

/** The same server; each request is counted, timed and told of. */
export function metered(server: ModelServer, options: MeteredOptions): ModelServer {
  const { meter, onSpan, endpoint = server.name, clock = systemClock } = options;
  return sampledBy(server, async (request, signal) => {
    const startMs = clock.now();
    const attributes: Record<string, string | number | boolean> = { endpoint };
    if (request.affinity !== undefined) attributes.affinity = request.affinity;
    meter?.add(metrics.IN_FLIGHT, { endpoint }, 1);
    try {
      const sample = await server.sample(request, signal);
      if (meter !== undefined) countSample(meter, endpoint, sample);
      meter?.observe(metrics.LATENCY, { endpoint }, (clock.now() - startMs) / 1000);
      Object.assign(attributes, {
        promptTokens: sample.promptTokens,
        generatedTokens: sample.generatedTokens,
        finishReason: sample.finishReason,
        ...(sample.cachedTokens !== undefined && { cachedTokens: sample.cachedTokens }),
        ...(sample.weightVersion !== undefined && { weights: sample.weightVersion }),
      });
      return sample;
    } catch (error) {
      const fault = faultOf(error, signal);
      meter?.count(metrics.FAILURES, { endpoint, fault });
      if (fault !== "aborted") {
        meter?.observe(metrics.LATENCY, { endpoint }, (clock.now() - startMs) / 1000);
      }
      Object.assign(attributes, { fault, message: messageOf(error) });
      throw error;
    } finally {
      meter?.add(metrics.IN_FLIGHT, { endpoint }, -1);
      tell(onSpan, { name: "model.sample", startMs, endMs: clock.now(), attributes });
    }
  });
}

/** Tells `onSpan`, if there is one, and drops what it throws. */
export function tell(onSpan: OnSpan | undefined, span: Span): void {
  try {
    onSpan?.(span);
  } catch {
    // A broken tracer must not cost a sample.
  }
}

/** What a failed request is counted as. */
export function faultOf(error: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted) return "aborted";
  return error instanceof ServerError ? error.fault : "other";
}

function countSample(meter: Meter, endpoint: string, sample: Sample): void {
  const labels = { endpoint };
  meter.count(metrics.SAMPLES, labels);
  for (const [metric, tokens] of [
    [metrics.PROMPT_TOKENS, sample.promptTokens],
    [metrics.CACHED_TOKENS, sample.cachedTokens ?? 0],
    [metrics.GENERATED_TOKENS, sample.generatedTokens],
  ] as const) {
    // A server that counts wrong must not cost the sample.
    if (tokens >= 0 && Number.isFinite(tokens)) meter.count(metric, labels, tokens);
  }
}
