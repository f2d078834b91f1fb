import type { Generation } from "./model.ts";
import {
  askOf,
  BadRequest,
  chatMessages,
  flag,
  type Json,
  number,
  object,
  prompts,
  type SamplingNames,
  tokenIds,
} from "./request.ts";
import type { Route, RouteContext } from "./routes.ts";
import type { SampledReply } from "./sampling.ts";
import { tinyTokenizer } from "./tokenizer.ts";

const NAMES: SamplingNames = {
  maxTokens: "max_tokens",
  seed: "seed",
  defaultMaxTokens: 16,
  includeStop: "include_stop_str_in_output",
};

/** POST /v1/completions */
export const completions: Route = async (body, context) => {
  checkCommon(body, context);
  const wanted = logprobCount(body, "logprobs", context);
  const withIds = flag(body, "return_token_ids");
  const name = flag(body, "return_tokens_as_token_ids") ? byId : byText;
  const all = prompts(body.prompt, "prompt");
  const generations = await Promise.all(
    all.map((promptTokenIds) =>
      context.generate(
        checked(
          askOf(body, NAMES, { promptTokenIds, topLogprobs: wanted ?? 0, cacheSalt: salt(body) }),
          context,
        ),
      ),
    ),
  );
  const choices = generations.flatMap((generation) =>
    generation.replies.map((reply) => ({
      text: reply.text,
      logprobs:
        wanted === undefined || reply.logprobs === null ? null : completionLogprobs(reply, wanted, name),
      finish_reason: reply.finishReason,
      stop_reason: reply.stopReason,
      token_ids: withIds ? reply.tokenIds : null,
      prompt_logprobs: null,
      prompt_token_ids: withIds ? generation.promptTokenIds : null,
    })),
  );
  return {
    id: `cmpl-${context.id}`,
    object: "text_completion",
    created: 0,
    model: context.model,
    choices: choices.map((choice, index) => ({ index, ...choice })),
    service_tier: null,
    system_fingerprint: null,
    usage: usage(generations, context),
    kv_transfer_params: null,
  };
};

/** POST /v1/chat/completions */
export const chatCompletions: Route = async (body, context) => {
  checkCommon(body, context);
  const withIds = flag(body, "return_token_ids");
  const logprobs = flag(body, "logprobs");
  const topLogprobs = logprobCount(body, "top_logprobs", context) ?? 0;
  if (topLogprobs > 0 && !logprobs) {
    throw new BadRequest("top_logprobs", "when using `top_logprobs`, `logprobs` must be set to true");
  }
  const text = tinyTokenizer.render(chatMessages(body.messages), flag(body, "add_generation_prompt", true));
  const promptTokenIds = tinyTokenizer.encode(text);
  const maxTokens = body.max_completion_tokens == null ? "max_tokens" : "max_completion_tokens";
  const room = Math.max(1, context.maxModelLen - promptTokenIds.length);
  const names = { ...NAMES, maxTokens, defaultMaxTokens: room };
  const generation = await context.generate(
    checked(askOf(body, names, { promptTokenIds, topLogprobs, cacheSalt: salt(body) }), context),
  );
  return {
    id: `chatcmpl-${context.id}`,
    object: "chat.completion",
    created: 0,
    model: context.model,
    choices: generation.replies.map((reply, index) => ({
      index,
      message: {
        role: "assistant",
        content: reply.text,
        refusal: null,
        annotations: null,
        audio: null,
        function_call: null,
        tool_calls: [],
        reasoning: null,
      },
      logprobs: logprobs && reply.logprobs !== null ? { content: chatLogprobs(reply, byText) } : null,
      finish_reason: reply.finishReason,
      stop_reason: reply.stopReason,
      token_ids: withIds ? reply.tokenIds : null,
    })),
    service_tier: null,
    system_fingerprint: null,
    usage: usage([generation], context),
    prompt_logprobs: null,
    prompt_token_ids: withIds ? generation.promptTokenIds : null,
    kv_transfer_params: null,
  };
};

/** POST /inference/v1/generate: tokens in, tokens out. */
export const inferenceGenerate: Route = async (body, context) => {
  checkCommon(body, context);
  const sampling = object(body.sampling_params, "sampling_params");
  const promptTokenIds = tokenIds(body.token_ids, "token_ids");
  const wanted = logprobCount(sampling, "logprobs", context);
  const generation = await context.generate(
    checked(
      askOf(sampling, NAMES, { promptTokenIds, topLogprobs: wanted ?? 0, cacheSalt: salt(body) }),
      context,
    ),
  );
  const choices = generation.replies.map((reply, index) => ({
    index,
    logprobs:
      wanted === undefined || reply.logprobs === null
        ? null
        : {
            content: chatLogprobs(reply, byId).map((entry, at) => ({
              token_id: reply.tokenIds[at],
              ...entry,
              rank: rank(reply, at),
            })),
          },
    finish_reason: reply.finishReason,
    token_ids: reply.tokenIds,
  }));
  // Without output_kind 2 (only the final output) siblings overwrite each other.
  const finalOnly = number(sampling, "output_kind", 0) === 2;
  return {
    request_id: typeof body.request_id === "string" ? body.request_id : context.id,
    choices: finalOnly ? choices : choices.slice(-1),
    prompt_logprobs: null,
    kv_transfer_params: null,
    prompt_token_ids: flag(body, "return_token_ids") ? generation.promptTokenIds : null,
    usage: usage([generation], context),
  };
};

function checkCommon(body: Json, { model }: RouteContext): void {
  if (body.model != null && body.model !== model) {
    throw new BadRequest("model", `The model \`${body.model}\` does not exist.`, 404);
  }
  if (flag(body, "stream")) throw new BadRequest("stream", "the test server does not stream");
}

function checked<T extends { promptTokenIds: readonly number[]; maxTokens: number }>(
  ask: T,
  { maxModelLen }: RouteContext,
): T {
  const prompt = ask.promptTokenIds.length;
  if (prompt + ask.maxTokens <= maxModelLen) return ask;
  throw new BadRequest(
    "max_tokens",
    `This model's maximum context length is ${maxModelLen} tokens. However, you requested ${ask.maxTokens} output ` +
      `tokens and your prompt contains ${prompt} input tokens.`,
  );
}

function logprobCount(body: Json, name: string, { maxLogprobs }: RouteContext): number | undefined {
  const wanted = number(body, name, undefined, 0);
  if (wanted === undefined || wanted <= maxLogprobs) return wanted;
  throw new BadRequest(name, `Requested ${name} of ${wanted}, greater than max allowed: ${maxLogprobs}`);
}

function salt(body: Json): string {
  return typeof body.cache_salt === "string" ? body.cache_salt : "";
}

type TokenName = (id: number) => string;
const byText: TokenName = (id) => tinyTokenizer.decode([id]);
const byId: TokenName = (id) => `token_id:${id}`;

/** The sampled token first, then the likeliest; tokens with the same text fall together, as in vLLM. */
function completionLogprobs(reply: SampledReply, wanted: number, name: TokenName): Json {
  const logprobs = reply.logprobs!;
  const tokens = reply.tokenIds.slice(0, logprobs.length).map(name);
  let offset = 0;
  return {
    text_offset: tokens.map((token) => {
      offset += token.length;
      return offset - token.length;
    }),
    token_logprobs: logprobs,
    tokens,
    top_logprobs: tokens.map((token, at) => {
      const top = wanted === 0 ? [] : (reply.top[at] ?? []);
      return Object.fromEntries([
        [token, logprobs[at]],
        ...top.map(({ id, logprob }) => [name(id), logprob]),
      ]);
    }),
  };
}

function chatLogprobs(reply: SampledReply, name: TokenName): Json[] {
  const entry = (id: number, logprob: number | null) => {
    const token = name(id);
    return { token, logprob, bytes: [...Buffer.from(token)] };
  };
  return reply.logprobs!.map((logprob, at) => ({
    ...entry(reply.tokenIds[at]!, logprob),
    top_logprobs: (reply.top[at] ?? []).map((top) => entry(top.id, top.logprob)),
  }));
}

/** Place of the sampled token among the likeliest, from 1. */
function rank(reply: SampledReply, at: number): number {
  const place = (reply.top[at] ?? []).findIndex(({ id }) => id === reply.tokenIds[at]);
  return place < 0 ? (reply.top[at]?.length ?? 0) + 1 : place + 1;
}

function usage(generations: readonly Generation[], { tellCached }: RouteContext): Json {
  const sum = (of: (generation: Generation) => number) =>
    generations.reduce((total, generation) => total + of(generation), 0);
  const prompt = sum(({ promptTokenIds }) => promptTokenIds.length);
  const completion = sum(({ replies }) => replies.reduce((n, { tokenIds: ids }) => n + ids.length, 0));
  return {
    prompt_tokens: prompt,
    total_tokens: prompt + completion,
    completion_tokens: completion,
    prompt_tokens_details: tellCached ? { cached_tokens: sum(({ cachedTokens }) => cachedTokens) } : null,
  };
}
