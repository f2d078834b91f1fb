import { deriveSeed } from "../../core/rng.ts";
import { chatMessages, flag, type Json, prompts } from "./request.ts";
import type { Route, RouteContext } from "./routes.ts";
import { SPECIAL_TOKENS, tinyTokenizer } from "./tokenizer.ts";

/**
 * A process reward model: how likely it is that the steps up to the token at `at`, itself included, are right.
 * Between 0 and 1.
 */
export type RewardModel = (tokenIds: readonly number[], at: number) => number;

/** By chance, from the 32 tokens that end at `at`. */
export const chanceReward: RewardModel = (tokenIds, at) =>
  (deriveSeed(tokenIds.slice(Math.max(0, at - 31), at + 1).join()) / 2 ** 53) * 0.98 + 0.01;

/**
 * POST /pooling of a model with a step pooler, as Qwen2.5-Math-PRM has: for each `<extra_0>` the probabilities of
 * "wrong" and "right", or their logits without `use_activation`.
 */
export const pooling: Route = async (body, context) => {
  const inputs = inputsOf(body);
  const step = SPECIAL_TOKENS["<extra_0>"]!;
  const activated = flag(body, "use_activation", true);
  const data = inputs.map((ids) =>
    ids.flatMap((id, at) => {
      if (id !== step) return [];
      const right = context.reward(ids, at);
      return [activated ? [1 - right, right] : [0, logit(right)]];
    }),
  );
  return answer("pool", context, inputs, faulty(data, context), (values, index) => ({
    index,
    object: "pooling",
    data: values,
  }));
};

/** POST /v1/embeddings as Skywork's plugin for vLLM answers: one raw logit for each token of each input. */
export const embeddings: Route = async (body, context) => {
  const inputs = inputsOf(body);
  const data = inputs.map((ids) => ids.map((_, at) => logit(context.reward(ids, at))));
  return answer("embd", context, inputs, faulty(data, context), (embedding, index) => ({
    index,
    object: "embedding",
    embedding,
  }));
};

function inputsOf(body: Json): number[][] {
  if (body.messages == null) return prompts(body.input, "input");
  return [tinyTokenizer.encode(tinyTokenizer.render(chatMessages(body.messages), false))];
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

type Values = readonly (number | null | readonly (number | null)[])[];

function faulty(data: readonly Values[], { fault }: RouteContext): readonly Values[] {
  const [first, ...others] = data;
  switch (fault?.kind) {
    case "fewer-choices":
      return data.slice(0, -1);
    case "nan-logprobs":
      return [replaceFirst(first!, Number.NaN), ...others];
    case "null-logprob":
      return [replaceFirst(first!, null), ...others];
    case "uneven-logprobs":
      return [first!.slice(0, -1), ...others];
    default:
      return data;
  }
}

function replaceFirst(values: Values, value: number | null): Values {
  const [first, ...others] = values;
  return [Array.isArray(first) ? first.map(() => value) : value, ...others];
}

function answer(
  kind: string,
  context: RouteContext,
  inputs: readonly (readonly number[])[],
  data: readonly Values[],
  entry: (values: Values, index: number) => Json,
): Json {
  const tokens = inputs.reduce((sum, ids) => sum + ids.length, 0);
  return {
    id: `${kind}-${context.id}`,
    object: "list",
    created: 0,
    model: context.model,
    data: data.map(entry),
    usage: { prompt_tokens: tokens, total_tokens: tokens, completion_tokens: 0, prompt_tokens_details: null },
  };
}
