import { sha256 } from "../../core/json.ts";
import type { ModelServer, Sample, SampleRequest } from "./model-server.ts";
import { type Field, isWhole } from "./reply.ts";
import { serverBy } from "./route.ts";
import {
  type Alternative,
  alternativesOf,
  cachedOf,
  countOf,
  finishOf,
  logprobsOf,
  promptOf,
  replyIds,
  type ServerOptions,
  stopReasonOf,
  type WeightsOf,
} from "./sampled.ts";

/**
 * SGLang by `/generate`: token ids in, token ids and log-probabilities out. `model` is for records only, as a server has
 * one. A request's `affinity` is sent as `X-SMG-Routing-Key`, by which SGLang's router can keep a tree on one server.
 * Seeds hold only on a server with `--enable-deterministic-inference`.
 * @throws {InputError} on a bad option.
 */
export function sglangServer(options: ServerOptions): ModelServer {
  return serverBy(
    {
      provider: "sglang",
      path: "/generate",
      healthPath: "/health",
      tokenExact: true,
      body: (name, request) => ({
        input_ids: promptOf(name, request),
        sampling_params: {
          n: 1,
          max_new_tokens: request.maxTokens,
          temperature: request.temperature,
          top_p: request.topP,
          top_k: request.topK,
          min_p: 0,
          repetition_penalty: 1,
          presence_penalty: 0,
          frequency_penalty: 0,
          min_new_tokens: 0,
          sampling_seed: request.seed,
          stop_token_ids: request.stopTokenIds,
          ignore_eos: false,
          skip_special_tokens: true,
        },
        return_logprob: true,
        // From 0 the log-probabilities of the prompt are computed too, and the prefix cache is not used.
        logprob_start_len: -1,
        top_logprobs_num: request.topLogprobs,
        return_prompt_token_ids: true,
        stream: false,
      }),
      headers: ({ affinity }) => routing(affinity),
      read: readGenerated,
    },
    options,
  );
}

/** A key only has to be the same each time, and a header does not hold every text. */
function routing(affinity: string | undefined): Readonly<Record<string, string>> {
  return affinity === undefined ? {} : { "x-smg-routing-key": sha256(affinity) };
}

function readGenerated(
  name: string,
  request: SampleRequest,
  reply: Field,
  weights: WeightsOf,
): Omit<Sample, "endpoint"> {
  const meta = reply.get("meta_info");
  const finish = meta.get("finish_reason");
  const finishReason = finishOf(name, finish.get("type"), finish.get("message").value);
  const stop = stopReasonOf(finish.get("matched"));
  const sent = promptOf(name, request);
  for (const place of [reply, meta]) {
    if (place.get("prompt_token_ids").given) place.get("prompt_token_ids").same(sent);
  }
  if (meta.get("prompt_tokens").whole() !== sent.length) {
    meta.get("prompt_tokens").fail(`the ${sent.length} tokens that were sent; the server changed the prompt`);
  }
  const tokenIds = replyIds(reply.get("output_ids"), request, stop.stopReason);
  const scores = meta.get("output_token_logprobs");
  const logprobs = logprobsOf(scores, tokenIds.length, (at) => {
    const id = scores.at(at).at(1);
    if (id.value !== tokenIds[at]) id.fail(`${tokenIds[at]}, as in \`output_ids\``);
    return scores.at(at).at(0);
  });
  countOf(meta.get("completion_tokens"), tokenIds.length);
  return {
    promptTokenIds: sent,
    tokenIds,
    logprobs,
    ...alternativesOf(meta.get("output_top_logprobs"), tokenIds.length, request.topLogprobs, alternatives),
    text: reply.get("text").given ? reply.get("text").text() : "",
    finishReason,
    ...stop,
    promptTokens: sent.length,
    generatedTokens: tokenIds.length,
    ...cachedOf(meta.get("cached_tokens"), sent.length),
    ...weights(meta.get("weight_version")),
  };
}

/** Of a list of [log-probability, token id, text or null]. */
function alternatives(place: Field): readonly Alternative[] {
  return place.list().map((_, rank) => {
    const [logprob, id] = [place.at(rank).at(0).logprob(), place.at(rank).at(1)];
    return { id: isWhole(id.value) ? id.value : id.fail("a token id"), logprob };
  });
}
