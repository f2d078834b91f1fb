import type { Generation } from "./model.ts";
import { askOf, BadRequest, flag, type Json, number, object, prompts } from "./request.ts";
import type { Route } from "./routes.ts";
import type { SampledReply, TokenLogprob } from "./sampling.ts";
import { tinyTokenizer } from "./tokenizer.ts";

const NAMES = {
  maxTokens: "max_new_tokens",
  seed: "sampling_seed",
  defaultMaxTokens: 128,
  includeStop: "no_stop_trim",
};

/** POST /generate */
export const sglangGenerate: Route = async (body, context) => {
  if (flag(body, "stream")) throw new BadRequest("stream", "the test server does not stream");
  const given = body.input_ids ?? body.text;
  if (given == null)
    throw new BadRequest("text", "Either text, input_ids or input_embeds should be provided.");
  const sampling = object(body.sampling_params ?? {}, "sampling_params");
  const wantTop = number(body, "top_logprobs_num", 0, 0);
  const cacheSalt = typeof body.cache_salt === "string" ? body.cache_salt : "";
  const all = prompts(given, "input_ids");
  const generations = await Promise.all(
    all.map((promptTokenIds) => {
      const ask = askOf(sampling, NAMES, { promptTokenIds, topLogprobs: wantTop, cacheSalt });
      if (promptTokenIds.length + ask.maxTokens > context.maxModelLen) {
        throw new BadRequest(
          "input_ids",
          `The input and max_new_tokens exceed ${context.maxModelLen} tokens.`,
        );
      }
      return context.generate(ask);
    }),
  );
  const rid = typeof body.rid === "string" ? body.rid : context.id;
  const options = {
    logprobs: flag(body, "return_logprob"),
    withText: flag(body, "return_text_in_logprobs"),
    prompt: flag(body, "return_prompt_token_ids"),
    top: wantTop > 0,
  };
  const answers = generations.flatMap((generation) =>
    generation.replies.map((reply) => answer(rid, generation, reply, options)),
  );
  const several = Array.isArray(given) && typeof given[0] !== "number";
  return several || number(sampling, "n", 1) > 1 ? answers : (answers[0] ?? []);
};

function answer(
  id: string,
  generation: Generation,
  reply: SampledReply,
  options: { logprobs: boolean; withText: boolean; prompt: boolean; top: boolean },
): Json {
  const triple = (tokenId: number, logprob: number | null) => [
    logprob,
    tokenId,
    options.withText ? tinyTokenizer.decode([tokenId]) : null,
  ];
  const triples = (top: readonly TokenLogprob[]) => top.map((one) => triple(one.id, one.logprob));
  return {
    text: reply.text,
    output_ids: reply.tokenIds,
    ...(options.prompt ? { prompt_token_ids: generation.promptTokenIds } : {}),
    meta_info: {
      id,
      finish_reason: finishReason(reply),
      prompt_tokens: generation.promptTokenIds.length,
      weight_version: generation.weightVersion,
      num_retractions: 0,
      ...(options.logprobs
        ? {
            input_token_logprobs: [],
            output_token_logprobs:
              reply.logprobs?.map((logprob, at) => triple(reply.tokenIds[at]!, logprob)) ?? null,
            ...(options.top ? { input_top_logprobs: [], output_top_logprobs: reply.top.map(triples) } : {}),
          }
        : {}),
      completion_tokens: reply.tokenIds.length,
      cached_tokens: generation.cachedTokens,
      e2e_latency: generation.latencyMs / 1000,
    },
  };
}

function finishReason({ finishReason: type, stopReason, tokenIds }: SampledReply): Json {
  if (type === "length") return { type, length: tokenIds.length };
  if (type === "abort") return { type, message: "Aborted" };
  return { type, matched: stopReason ?? tinyTokenizer.eosTokenId };
}
