import type { ModelFault } from "./faults.ts";
import type { Ask, Generation, TestModel } from "./model.ts";
import { BadRequest, chatMessages, flag, type Json, tokenIds } from "./request.ts";
import type { RewardModel } from "./reward-routes.ts";
import { embeddings, pooling } from "./reward-routes.ts";
import { sglangGenerate } from "./sglang-routes.ts";
import { tinyTokenizer } from "./tokenizer.ts";
import { chatCompletions, completions, inferenceGenerate } from "./vllm-routes.ts";

/** What a route needs beside the body. */
export interface RouteContext {
  /** Of the request. */
  readonly id: string;
  readonly model: string;
  readonly maxModelLen: number;
  readonly maxLogprobs: number;
  /** Whether vLLM's routes say what was cached, as with `--enable-prompt-tokens-details`. */
  readonly tellCached: boolean;
  readonly reward: RewardModel;
  readonly fault: ModelFault | undefined;
  readonly state: TestModel;
  generate(ask: Ask): Promise<Generation>;
}

/** Takes the body of a request; gives what is sent as JSON, or nothing for an empty answer. */
export type Route = (body: Json, context: RouteContext) => Promise<unknown> | unknown;

const tokenize: Route = (body, { maxModelLen }) => {
  const text =
    body.messages == null
      ? body.prompt
      : tinyTokenizer.render(chatMessages(body.messages), flag(body, "add_generation_prompt", true));
  if (typeof text !== "string") throw new BadRequest("prompt", "prompt must be text");
  const tokens = tinyTokenizer.encode(text);
  const strings = flag(body, "return_token_strs") ? tokens.map((id) => tinyTokenizer.decode([id])) : null;
  return { count: tokens.length, max_model_len: maxModelLen, tokens, token_strs: strings };
};

const detokenize: Route = (body) => ({
  prompt: tinyTokenizer.decode(tokenIds(body.tokens, "tokens")),
});

const updateWeightVersion: Route = (body, { state }) => {
  const version = body.new_version;
  if (typeof version !== "string") throw new BadRequest("body.new_version", "Input should be a valid string");
  state.weightVersion = version;
  return { success: true, new_version: version };
};

const flush: Route = (_, { state }) => state.cache.clear();

const models: Route = (_, { model, maxModelLen }) => ({
  object: "list",
  data: [
    { id: model, object: "model", created: 0, owned_by: "forkgym", root: model, max_model_len: maxModelLen },
  ],
});

const modelInfo: Route = (_, { model, state }) => ({
  model_path: model,
  tokenizer_path: model,
  is_generation: true,
  weight_version: state.weightVersion,
});

/** All routes but those for health and metrics. */
export const routes: Readonly<Record<string, Route>> = {
  "POST /v1/completions": completions,
  "POST /v1/chat/completions": chatCompletions,
  "POST /inference/v1/generate": inferenceGenerate,
  "POST /generate": sglangGenerate,
  "POST /pooling": pooling,
  "POST /v1/embeddings": embeddings,
  "POST /tokenize": tokenize,
  "POST /detokenize": detokenize,
  "POST /update_weight_version": updateWeightVersion,
  "GET /weight_info": (_, { state }) => ({ weight_version: state.weightVersion }),
  "GET /v1/models": models,
  "GET /get_model_info": modelInfo,
  "POST /flush_cache": flush,
  "GET /flush_cache": flush,
  "POST /reset_prefix_cache": flush,
};
