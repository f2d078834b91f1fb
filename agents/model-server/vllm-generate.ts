import type { ModelServer, Sample, SampleRequest } from "./model-server.ts";
import { type Field, isWhole } from "./reply.ts";
import { serverBy } from "./route.ts";
import {
  type Alternative,
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
 * vLLM by `/inference/v1/generate`: token ids in and out and nothing else. There is no text in its replies, so a
 * sample's `text` is empty; whoever needs it decodes the ids.
 * @throws {InputError} on a bad option.
 */
export function vllmGenerateServer(options: ServerOptions): ModelServer {
  const { model } = options;
  return serverBy(
    {
      provider: "vllm-generate",
      path: "/inference/v1/generate",
      healthPath: "/health",
      tokenExact: true,
      body: (name, request) => ({
        model,
        token_ids: promptOf(name, request),
        sampling_params: { ...vllmSampling(request), logprobs: request.topLogprobs },
        stream: false,
        return_token_ids: true,
      }),
      read: readGenerated,
    },
    options,
  );
}

function readGenerated(
  name: string,
  request: SampleRequest,
  reply: Field,
  weights: WeightsOf,
): Omit<Sample, "endpoint"> {
  const choice = reply.get("choices").only();
  const finishReason = finishOf(name, choice.get("finish_reason"));
  const stop = stopReasonOf(choice.get("stop_reason"));
  const sent = promptOf(name, request);
  // Only some versions give them back.
  const prompt = reply.get("prompt_token_ids");
  const promptTokenIds = prompt.given ? prompt.same(sent) : sent;
  const tokenIds = replyIds(choice.get("token_ids"), request, stop.stopReason);
  const content = choice.get("logprobs").get("content");
  const logprobs = logprobsOf(content, tokenIds.length, (at) => {
    checkToken(content.at(at), tokenIds[at]!);
    return content.at(at).get("logprob");
  });
  const usage = reply.get("usage");
  if (usage.given) {
    countOf(usage.get("prompt_tokens"), sent.length);
    countOf(usage.get("completion_tokens"), tokenIds.length);
  }
  return {
    promptTokenIds,
    tokenIds,
    logprobs,
    ...alternativesOf(content, tokenIds.length, request.topLogprobs, alternatives),
    text: "",
    finishReason,
    ...stop,
    promptTokens: sent.length,
    generatedTokens: tokenIds.length,
    ...(usage.given && usageCached(usage, sent.length)),
    ...weights(reply.get("weight_version")),
  };
}

/** A place names its token as `token_id`, as `token_id:N`, as text, or not at all. */
function checkToken(place: Field, id: number): void {
  const tokenId = place.get("token_id");
  if (tokenId.given && tokenId.value !== id) tokenId.fail(`${id}, as in \`token_ids\``);
  const token = place.get("token");
  const name = String(token.value);
  if (name.startsWith("token_id:") && name !== `token_id:${id}`)
    token.fail(`token_id:${id}, as in \`token_ids\``);
}

/** Of OpenAI's list of alternatives at a place, where some servers write ids instead of texts. */
function alternatives(place: Field): readonly Alternative[] {
  const top = place.get("top_logprobs");
  return top.list().map((_, rank) => {
    const one = top.at(rank);
    const id = one.get("token_id");
    return {
      id: isWhole(id.value) ? id.value : namedId(one.get("token").value),
      logprob: one.get("logprob").logprob(),
    };
  });
}

/** Their log-probabilities, the `most` likeliest at each place of a reply. */
export function topOf(content: Field, most: number): readonly (readonly number[])[] {
  return alternativesOf(content, content.list().length, most, alternatives).topLogprobs ?? [];
}
