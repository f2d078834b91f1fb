import { InputError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ModelServer, Sample, SampleRequest } from "./model-server.ts";
import type { Field } from "./reply.ts";
import { serverBy } from "./route.ts";
import {
  finishOf,
  logprobsOf,
  type ServerOptions,
  stopReasonOf,
  usageCached,
  type WeightsOf,
} from "./sampled.ts";
import { topOf } from "./vllm-generate.ts";

/** Options of {@link openaiServer}. */
export interface OpenaiOptions extends ServerOptions {
  /**
   * Fields of the body that are not sent, because the server refuses them: OpenAI's own knows no `top_k`,
   * `repetition_penalty` and `stop_token_ids`. What is left out is up to the server. @default none
   */
  readonly omit?: readonly string[];
}

/**
 * Any OpenAI-compatible server by `/v1/chat/completions`: messages in, text out. The server renders and tokenises the
 * history anew each turn, so this is not token-exact: what is recorded is good for evaluation, not for training.
 * Log-probabilities are there if the server gives them; they may cover another number of tokens than were generated.
 * @throws {InputError} on a bad option.
 */
export function openaiServer(options: OpenaiOptions): ModelServer {
  const { model } = options;
  const omit = new Set(options.omit);
  for (const field of ["model", "messages", "stream"]) {
    if (omit.has(field)) throw new InputError(`openai ${model}: \`omit\` cannot leave out ${field}`);
  }
  return serverBy(
    {
      provider: "openai",
      path: "/v1/chat/completions",
      healthPath: "/v1/models",
      tokenExact: false,
      body(name, request) {
        const fields = Object.entries(bodyOf(name, model, request));
        return Object.fromEntries(fields.filter(([field]) => !omit.has(field)));
      },
      read: readChat,
    },
    options,
  );
}

function bodyOf(name: string, model: string, request: SampleRequest): JsonObject {
  const { messages = [], topLogprobs } = request;
  if (messages.length === 0) throw new InputError(`${name}: expected \`messages\`, one at least`);
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    n: 1,
    max_tokens: request.maxTokens,
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
  const finishReason = finishOf(name, choice.get("finish_reason"));
  const content = choice.get("message").get("content");
  const usage = reply.get("usage");
  const scores = choice.get("logprobs").given ? choice.get("logprobs").get("content") : undefined;
  const scored = scores?.given ? scores : undefined;
  return {
    ...(scored && {
      logprobs: logprobsOf(scored, scored.list().length, (at) => scored.at(at).get("logprob")),
    }),
    ...(scored && request.topLogprobs > 0 && { topLogprobs: topOf(scored, request.topLogprobs) }),
    // A reply that is nothing but thinking, where the server takes the thinking out, has no content.
    text: content.value === null ? "" : content.text(),
    finishReason,
    ...stopReasonOf(choice.get("stop_reason")),
    promptTokens: usage.get("prompt_tokens").whole(),
    generatedTokens: usage.get("completion_tokens").whole(),
    ...usageCached(usage),
    ...weights(reply.get("weight_version")),
  };
}
