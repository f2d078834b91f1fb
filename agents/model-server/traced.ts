import type { TraceAttributes, Tracer } from "../../core/trace/tracer.ts";
import { faultOf } from "./metrics/metered.ts";
import type { ModelServer, Sample, SampleRequest } from "./model-server.ts";
import { sampledBy } from "./sampled-by.ts";

/**
 * The same server; each request is a span, from the call to the reply, a pool's queue included. Wrap the pool and not the
 * servers in it: a pool sends a request when there is a place, which is not within the span of who asked.
 * Source of the names: OpenTelemetry's semantic conventions 1.45, generative AI client spans (in development).
 */
export function traced(server: ModelServer, tracer: Tracer): ModelServer {
  const operation = server.tokenExact ? "text_completion" : "chat";
  const name = server.model === undefined ? operation : `${operation} ${server.model}`;
  const always = {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": server.provider ?? server.name,
    "gen_ai.request.model": server.model,
    ...addressOf(server.url),
  };
  return sampledBy(server, (request, signal) =>
    tracer.span(
      name,
      { ...always, ...asked(request) },
      async (span) => {
        try {
          const sample = await server.sample(request, signal);
          span.set(answered(sample));
          return sample;
        } catch (error) {
          span.set({ "error.type": faultOf(error, signal) });
          throw error;
        }
      },
      "client",
    ),
  );
}

function asked(request: SampleRequest): TraceAttributes {
  return {
    "gen_ai.request.max_tokens": request.maxTokens,
    "gen_ai.request.temperature": request.temperature,
    "gen_ai.request.top_p": request.topP,
    "gen_ai.request.top_k": request.topK === -1 ? undefined : request.topK,
    "gen_ai.request.seed": request.seed,
    "forkgym.affinity": request.affinity,
  };
}

function answered(sample: Sample): TraceAttributes {
  return {
    ...addressOf(sample.endpoint),
    "gen_ai.usage.input_tokens": sample.promptTokens,
    "gen_ai.usage.output_tokens": sample.generatedTokens,
    "gen_ai.usage.cache_read.input_tokens": sample.cachedTokens,
    "gen_ai.response.finish_reasons": [sample.finishReason],
    "forkgym.weights": sample.weightVersion,
  };
}

function addressOf(url: string | undefined): TraceAttributes {
  if (url === undefined || !URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return {
    "server.address": hostname,
    "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  };
}
