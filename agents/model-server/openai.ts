import { oneOf } from "../../core/check.ts";
import { InputError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { ServerError } from "./errors.ts";
import type { ModelServer, Sample, SampleRequest } from "./model-server.ts";
import { type Field, isWhole } from "./reply.ts";
import { serverBy } from "./route.ts";
import { finishOf, logprobsOf, type ServerOptions, stopReasonOf, type WeightsOf } from "./sampled.ts";
import { topOf } from "./vllm-generate.ts";

/** Options of {@link openaiServer}. */
export interface OpenaiOptions extends ServerOptions {
  /**
   * Fields of the body that are not sent, because the server refuses them: OpenAI's own knows no `top_k`,
   * `repetition_penalty` and `stop_token_ids`. What is left out is up to the server, but for `max_tokens`: without it
   * `max_completion_tokens` is sent, since a reply always has a bound. @default none
   */
  readonly omit?: readonly string[];
  /**
   * The field that bounds a reply's length. OpenAI's reasoning models refuse `max_tokens`.
   * @default "max_tokens", unless that is in `omit`
   */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
}

const BOUNDS = ["max_tokens", "max_completion_tokens"] as const;

/**
 * Any OpenAI-compatible server by `/v1/chat/completions`: messages in, text out. The server renders and tokenises the
 * history anew each turn, so this is not token-exact: what is recorded is good for evaluation, not for training.
 * Log-probabilities are there if the server gives them for every token that it lists, and in a form that can be read;
 * they may cover another number of tokens than were generated. Without `usage` the counts of tokens are 0. A reply that
 * a content filter ended is one that stopped, with `content_filter` as its `stopReason`.
 * @throws {InputError} on a bad option.
 */
export function openaiServer(options: OpenaiOptions): ModelServer {
  const { model } = options;
  const omit = new Set(options.omit);
  const bound = oneOf(
    BOUNDS,
    `openai ${model}`,
    "maxTokensField",
    options.maxTokensField ?? (omit.has("max_tokens") ? "max_completion_tokens" : "max_tokens"),
  );
  for (const field of ["model", "messages", "stream", bound]) {
    if (omit.has(field)) throw new InputError(`openai ${model}: \`omit\` cannot leave out ${field}`);
  }
  return serverBy(
    {
      provider: "openai",
      path: "/v1/chat/completions",
      healthPath: "/v1/models",
      tokenExact: false,
      body(name, request) {
        const fields = Object.entries(bodyOf(name, model, bound, request));
        return Object.fromEntries(fields.filter(([field]) => !omit.has(field)));
      },
      read: readChat,
    },
    options,
  );
}

function bodyOf(
  name: string,
  model: string,
  bound: (typeof BOUNDS)[number],
  request: SampleRequest,
): JsonObject {
  const { messages = [], topLogprobs } = request;
  if (messages.length === 0) throw new InputError(`${name}: expected \`messages\`, one at least`);
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    n: 1,
    [bound]: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    seed: request.seed,
    stop_token_ids: request.stopTokenIds,
    logprobs: true,
    ...(topLogprobs > 0 && { top_logprobs: topLogprobs }),
    stream: false,
  };
}

function readChat(
  name: string,
  request: SampleRequest,
  reply: Field,
  weights: WeightsOf,
): Omit<Sample, "endpoint"> {
  const choice = reply.get("choices").only();
  const filtered = choice.get("finish_reason").value === "content_filter";
  return {
    ...optional(() => scoresOf(choice, request)),
    text: textOf(choice.get("message").get("content")),
    finishReason: filtered ? "stop" : finishOf(name, choice.get("finish_reason")),
    ...(filtered ? { stopReason: "content_filter" } : stopReasonOf(choice.get("stop_reason"))),
    ...countsOf(reply.get("usage")),
    ...weights(reply.get("weight_version")),
  };
}

/** A text, or a list of parts of which those that are texts count: some servers put thinking into others. */
function textOf(content: Field): string {
  // A reply that is nothing but thinking, where the server takes the thinking out, has no content.
  if (content.value === null) return "";
  if (!Array.isArray(content.value)) return content.text();
  const parts = content.value.map((_, at) => {
    const [type, text] = [content.at(at).get("type"), content.at(at).get("text")];
    return type.given && type.value !== "text" ? "" : text.text();
  });
  return parts.join("");
}

function scoresOf(choice: Field, { topLogprobs }: SampleRequest): Pick<Sample, "logprobs" | "topLogprobs"> {
  const scores = choice.get("logprobs").get("content");
  return {
    logprobs: logprobsOf(scores, scores.list().length, (at) => scores.at(at).get("logprob")),
    ...(topLogprobs > 0 && { topLogprobs: topOf(scores, topLogprobs) }),
  };
}

function countsOf(usage: Field): Pick<Sample, "promptTokens" | "generatedTokens" | "cachedTokens"> {
  const count = (read: () => Field): number | undefined => {
    const { value } = optional(() => ({ value: read().value }));
    return isWhole(value) ? value : undefined;
  };
  const promptTokens = count(() => usage.get("prompt_tokens"));
  const cached = count(() => usage.get("prompt_tokens_details").get("cached_tokens"));
  return {
    promptTokens: promptTokens ?? 0,
    generatedTokens: count(() => usage.get("completion_tokens")) ?? 0,
    ...(promptTokens !== undefined &&
      cached !== undefined && { cachedTokens: Math.min(cached, promptTokens) }),
  };
}

/** Nothing where it cannot be read: what a text is worth does not hang on it. */
function optional<T extends object>(read: () => T): Partial<T> {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServerError) return {};
    throw error;
  }
}
