import { expect } from "vitest";
import type { ModelServer, Sample } from "../../agents/model-server/model-server.ts";
import { openaiServer } from "../../agents/model-server/openai.ts";
import { sglangServer } from "../../agents/model-server/sglang.ts";
import { vllmServer } from "../../agents/model-server/vllm.ts";
import { vllmGenerateServer } from "../../agents/model-server/vllm-generate.ts";
import type { Message } from "../../core/dialogue.ts";
import { tinyTokenizer } from "./tokenizer.ts";

export const messages: readonly Message[] = [{ role: "user", content: "go" }];
export const promptTokenIds: readonly number[] = tinyTokenizer.encode(tinyTokenizer.render(messages));

// biome-ignore lint/suspicious/noExplicitAny: whatever came over the wire
export type Body = any;

/** What a sample must say, read from the body by someone else. */
interface Reader {
  readonly make: (options: {
    url: string;
    model: string;
    totalMs: number;
    maxBodyBytes?: number;
  }) => ModelServer;
  readonly read: (body: Body, choice?: Body) => Partial<Record<keyof Sample, unknown>>;
}

/** A log-probability may be a rounding error above 0; what is no number must not have become one. */
const atMost0 = (values: readonly unknown[] | undefined) =>
  values?.map((value) => (typeof value === "number" ? Math.min(0, value) : value));
const only = (choices: readonly Body[]) => {
  expect(choices).toHaveLength(1);
  return choices[0];
};
const idNamed = (token: unknown) => {
  const [, id] = /^token_id:(\d+)$/.exec(String(token)) ?? [];
  return id === undefined ? undefined : Number(id);
};
/** The ids of the two likeliest of [log-probability, id] at each place, if all are known. */
const topIds = (places: readonly (readonly (readonly [number, number | undefined])[])[]) =>
  places.flat().some(([, id]) => id === undefined)
    ? undefined
    : places.map((place) =>
        [...place]
          .sort(([a], [b]) => Math.min(0, b) - Math.min(0, a))
          .slice(0, 2)
          .map(([, id]) => id),
      );
const contentLogprobs = (choice: Body) =>
  atMost0(choice.logprobs?.content?.map(({ logprob }: { logprob: number }) => logprob));
const atMostPrompt = (tokens: number | null | undefined, prompt = promptTokenIds.length) =>
  tokens == null ? undefined : Math.min(tokens, prompt);
const cached = (body: Body) => atMostPrompt(body.usage?.prompt_tokens_details?.cached_tokens);
const count = (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
/** A list of entries that all have a log-probability, of themselves and of two others. */
const isScored = (content: unknown): content is readonly Body[] => {
  const has = (one: Body) => Number.isFinite(one?.logprob) && one.logprob <= 1e-3;
  const whole = (one: Body) => has(one) && one.logprob > -9999 && Array.isArray(one.top_logprobs);
  return Array.isArray(content) && content.every((one) => whole(one) && one.top_logprobs.every(has));
};

export const READERS: Readonly<Record<string, Reader>> = {
  "vLLM /v1/completions": {
    make: vllmServer,
    read: (body, choice = only(body.choices)) => ({
      tokenIds: choice.token_ids,
      logprobs: atMost0(choice.logprobs.token_logprobs),
      topTokenIds: topIds(
        choice.logprobs.top_logprobs.map((place: object) =>
          Object.entries(place).map(([token, logprob]) => [logprob, idNamed(token)]),
        ),
      ),
      text: choice.text,
      finishReason: choice.finish_reason,
      stopReason: choice.stop_reason ?? undefined,
      promptTokenIds: choice.prompt_token_ids,
      cachedTokens: cached(body),
    }),
  },
  "vLLM /inference/v1/generate": {
    make: vllmGenerateServer,
    read: (body, choice = only(body.choices)) => ({
      tokenIds: choice.token_ids,
      logprobs: contentLogprobs(choice),
      topTokenIds: topIds(
        choice.logprobs.content.map(({ top_logprobs: top }: Body) =>
          top.map(({ token, logprob }: Body) => [logprob, idNamed(token)]),
        ),
      ),
      finishReason: choice.finish_reason,
      promptTokenIds: body.prompt_token_ids ?? promptTokenIds,
      cachedTokens: cached(body),
    }),
  },
  "SGLang /generate": {
    make: sglangServer,
    read: ({ meta_info: meta, ...body }) => ({
      tokenIds: body.output_ids,
      logprobs: atMost0(meta.output_token_logprobs.map(([logprob]: [number]) => logprob)),
      topTokenIds: topIds(meta.output_top_logprobs),
      text: body.text ?? "",
      finishReason: meta.finish_reason.type,
      stopReason: meta.finish_reason.matched ?? undefined,
      promptTokenIds: body.prompt_token_ids ?? promptTokenIds,
      promptTokens: meta.prompt_tokens,
      cachedTokens: atMostPrompt(meta.cached_tokens),
      weightVersion: meta.weight_version == null ? undefined : String(meta.weight_version),
    }),
  },
  "OpenAI /v1/chat/completions": {
    make: openaiServer,
    read: (body, choice = only(body.choices)) => ({
      tokenIds: undefined,
      logprobs: isScored(choice.logprobs?.content) ? contentLogprobs(choice) : undefined,
      text: [choice.message.content ?? ""]
        .flat()
        .map((part) => part.text ?? part)
        .join(""),
      finishReason: choice.finish_reason,
      promptTokens: count(body.usage?.prompt_tokens) ?? 0,
      generatedTokens: count(body.usage?.completion_tokens) ?? 0,
      cachedTokens:
        count(body.usage?.prompt_tokens) === undefined
          ? undefined
          : atMostPrompt(count(body.usage.prompt_tokens_details?.cached_tokens), body.usage.prompt_tokens),
    }),
  },
};
