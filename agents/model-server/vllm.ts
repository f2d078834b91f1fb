import type { ModelServer, Sample, SampleRequest } from "./model-server.ts";
import type { Field } from "./reply.ts";
import { serverBy } from "./route.ts";
import {
  alternativesOf,
  countOf,
  finishOf,
  logprobsOf,
  namedId,
  promptOf,
  replyIds,
  type ServerOptions,
  stopReasonOf,
  usageCached,
  vllmSampling,
  type WeightsOf,
} from "./sampled.ts";

/**
 * vLLM by `/v1/completions`: token ids in, token ids and log-probabilities out (`return_token_ids`, vLLM from 0.10.2).
 * Cached tokens are known if the server runs with `--enable-prompt-tokens-details`. vLLM gives log-probabilities before
 * temperature and top-p unless it runs with `--logprobs-mode processed_logprobs`.
 * @throws {InputError} on a bad option.
 */
export function vllmServer(options: ServerOptions): ModelServer {
  const { model } = options;
  return serverBy(
    {
      provider: "vllm",
      path: "/v1/completions",
      healthPath: "/health",
      tokenExact: true,
      body: (name, request) => ({
        model,
        prompt: promptOf(name, request),
        ...vllmSampling(request),
        logprobs: request.topLogprobs,
        echo: false,
        stream: false,
        return_token_ids: true,
        // Else two tokens of the same text would be one key among the alternatives.
        return_tokens_as_token_ids: true,
      }),
      read: readCompletion,
    },
    options,
  );
}

function readCompletion(
  name: string,
  request: SampleRequest,
  reply: Field,
  weights: WeightsOf,
): Omit<Sample, "endpoint"> {
  const choice = reply.get("choices").only();
  const finishReason = finishOf(name, choice.get("finish_reason"));
  const stop = stopReasonOf(choice.get("stop_reason"));
  const promptTokenIds = choice.get("prompt_token_ids").same(promptOf(name, request));
  const tokenIds = replyIds(choice.get("token_ids"), request, stop.stopReason);
  const scores = choice.get("logprobs");
  const logprobs = logprobsOf(scores.get("token_logprobs"), tokenIds.length, (at) =>
    scores.get("token_logprobs").at(at),
  );
  checkNames(scores.get("tokens"), tokenIds);
  const usage = reply.get("usage");
  countOf(usage.get("prompt_tokens"), promptTokenIds.length);
  countOf(usage.get("completion_tokens"), tokenIds.length);
  return {
    promptTokenIds,
    tokenIds,
    logprobs,
    ...alternativesOf(scores.get("top_logprobs"), tokenIds.length, request.topLogprobs, (place) =>
      place.keys().map((token) => ({ id: namedId(token), logprob: place.get(token).logprob() })),
    ),
    text: choice.get("text").text(),
    finishReason,
    ...stop,
    promptTokens: promptTokenIds.length,
    generatedTokens: tokenIds.length,
    ...usageCached(usage, promptTokenIds.length),
    ...weights(reply.get("weight_version")),
  };
}

/** `tokens` say `token_id:N` where the server was so kind; then they must be the ids. */
function checkNames(tokens: Field, ids: readonly number[]): void {
  if (!tokens.given) return;
  const names = tokens.list();
  const wrong = ids.findIndex(
    (id, at) => /^token_id:/.test(String(names[at])) && names[at] !== `token_id:${id}`,
  );
  if (wrong >= 0) tokens.at(wrong).fail(`token_id:${ids[wrong]}, as in \`token_ids\``);
}
