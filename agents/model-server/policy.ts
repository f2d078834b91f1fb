import { wholeFrom } from "../../core/check.ts";
import type { Dialogue } from "../../core/dialogue.ts";
import { ContextLimitError, InputError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { Policy, TokenUsage } from "../../core/policy.ts";
import { deriveSeed } from "../../core/rng.ts";
import { type Attempted, attempt } from "./attempts.ts";
import { arpoEntropy } from "./entropy.ts";
import { ServerError } from "./errors.ts";
import { Histories, messagesTo } from "./history.ts";
import type { ModelServer, Sample } from "./model-server.ts";
import type { SampleRecord } from "./sample-record.ts";
import { checkRequest } from "./sampled.ts";
import type { Chat } from "./tokens/chat.ts";
import { treeIdOf } from "./tree-id.ts";

/** How a model is sampled. */
export interface Sampling {
  /** Most tokens of a reply, from 1. */
  readonly maxTokens: number;
  /** From 0 up. @default 1 */
  readonly temperature?: number;
  /** Above 0, at most 1. @default 1 */
  readonly topP?: number;
  /** From 1 up; -1 for all. @default -1 */
  readonly topK?: number;
  /** Alternatives whose log-probabilities are asked for; ARPO's entropy takes 10. @default 0: none, and no entropy */
  readonly topLogprobs?: number;
  /** Tokens that end a reply. @default the end of the assistant's turn and `eos_token`; none without `chat` */
  readonly stopTokenIds?: readonly number[];
}

/** Options of {@link modelPolicy}. */
export interface ModelPolicyOptions<Data, Obs, Act> {
  readonly server: ModelServer;
  readonly dialogue: Dialogue<Data, Obs, Act>;
  readonly sampling: Sampling;
  /** The model's chat template and tokenizer, a `ChatTemplate` or a `serverChat`; a token-exact server needs it. */
  readonly chat?: Chat;
  /** Mixed into the seeds of samples; a whole number from 0. @default 0 */
  readonly seed?: number;
  /**
   * Further samples that are drawn in a turn whose request failed, each with its own seed and recorded as such.
   * @default 0: a failure ends the branch with an error
   */
  readonly retries?: number;
  /** Milliseconds before a retry, where the server does not say. @default 1,000 */
  readonly retryWaitMs?: number;
  /**
   * Tokens that a branch may have, from 2: what the model can hold, or a budget such as the paper's. A reply gets what
   * room is left, at most `maxTokens`; a branch without room ends, its outcome that of what it has done. Needs a
   * token-exact server.
   * @default no limit here; a server that refuses the prompt makes the branch a failure
   */
  readonly contextTokens?: number;
  /** For the entropy, from 2. @default the tokenizer's; needed with `topLogprobs` where there is no `chat` */
  readonly vocabularySize?: number;
}

/**
 * A language model on a server as the policy of any Env that has a dialogue. Its turns record a {@link SampleRecord}.
 *
 * With a token-exact server the branch's tokens only grow: what was sampled at turn t is in the prompt of turn t + 1 as it
 * was sampled. `logprob` is the sum over the reply's tokens, `entropy` is {@link arpoEntropy}.
 * @throws {InputError} on bad options; in `act` when the branch's history is not a model's.
 * @throws {ContextLimitError} in `act`, when there is no room for a reply.
 * @throws {ServerError} in `act`, when the server fails: the engine makes that branch a leaf with an error.
 */
export function modelPolicy<Data, Obs, Act>(
  options: ModelPolicyOptions<Data, Obs, Act>,
): Policy<Data, Obs, Act> {
  const { server, dialogue, chat, seed = 0, retries = 0, retryWaitMs = 1000, contextTokens } = options;
  const fixed = fixedOf(options);
  const vocabularySize = options.vocabularySize ?? chat?.vocabularySize;
  wholeFrom(0, PART, "seed", seed);
  wholeFrom(0, PART, "retries", retries);
  wholeFrom(0, PART, "retryWaitMs", retryWaitMs);
  if (contextTokens !== undefined) {
    wholeFrom(2, PART, "contextTokens", contextTokens);
    if (!server.tokenExact) throw new InputError(`${PART}: \`contextTokens\` needs a token-exact server`);
  }
  if (vocabularySize !== undefined) wholeFrom(2, PART, "vocabularySize", vocabularySize);
  else if (fixed.topLogprobs > 0)
    throw new InputError(`${PART}: \`topLogprobs\` needs \`chat\` or \`vocabularySize\``);
  const histories = server.tokenExact ? new Histories(dialogue, chatFor(server, chat)) : undefined;

  return {
    name: server.tokenExact ? server.name : `${server.name} (text only, not token-exact)`,
    async act(turn) {
      const conversation = await histories?.asked(turn.task, turn.node, turn.signal);
      const maxTokens = Math.min(fixed.maxTokens, roomAfter(conversation?.length ?? 0, contextTokens));
      const prompt =
        conversation === undefined
          ? { messages: messagesTo(dialogue, turn.task, turn.node) }
          : { promptTokenIds: conversation.tokenIds() };
      const request = {
        ...fixed,
        maxTokens,
        ...prompt,
        affinity: turn.task.id,
        tree: treeIdOf(turn.task, turn.node),
      };
      const { signal } = turn;
      const attempted = await attempt(
        (sampleSeed) => server.sample({ ...request, seed: sampleSeed }, signal),
        () => deriveSeed(seed, turn.rng.next()) % 2 ** 31,
        { retries, waitMs: retryWaitMs, signal },
      );
      const { sample } = attempted;
      if (conversation !== undefined) checkExact(server, sample);
      const text = conversation === undefined ? sample.text : await chat!.textOf(sample.tokenIds!, signal);
      return {
        action: dialogue.parse(text),
        ...(sample.logprobs && { logprob: sum(sample.logprobs) }),
        ...(sample.topLogprobs && { entropy: arpoEntropy(sample.topLogprobs, vocabularySize!) }),
        usage: usageOf(sample),
        sample: recordOf(text, conversation?.promptDelta, attempted),
      };
    },
  };
}

const PART = "model policy";

/** What is the same in all requests. @throws {InputError} */
function fixedOf({ sampling, chat }: Pick<ModelPolicyOptions<never, never, never>, "sampling" | "chat">) {
  const { maxTokens, temperature = 1, topP = 1, topK = -1, topLogprobs = 0 } = sampling;
  const stopTokenIds = sampling.stopTokenIds ?? chat?.stopTokenIds ?? [];
  const fixed = { maxTokens, temperature, topP, topK, topLogprobs, stopTokenIds };
  checkRequest(PART, { ...fixed, seed: 0 });
  return fixed;
}

function chatFor(server: ModelServer, chat: Chat | undefined): Chat {
  if (chat !== undefined) return chat;
  throw new InputError(`${PART}: ${server.name} takes tokens; pass \`chat\`, its template and tokenizer`);
}

function roomAfter(promptTokens: number, contextTokens = Number.POSITIVE_INFINITY): number {
  if (promptTokens < contextTokens) return contextTokens - promptTokens;
  throw new ContextLimitError(
    `${PART}: the conversation has ${promptTokens} tokens, \`contextTokens\` is ${contextTokens}: no room for a reply`,
  );
}

/** Whoever made the server: no turn is recorded without its tokens. */
function checkExact({ name }: ModelServer, { tokenIds, logprobs }: Sample): void {
  if (tokenIds !== undefined && tokenIds.length === logprobs?.length) return;
  throw new ServerError("malformed", `${name}: expected token ids and as many log-probabilities`);
}

function usageOf({ promptTokens, generatedTokens, cachedTokens }: Sample): TokenUsage {
  return { promptTokens, generatedTokens, ...(cachedTokens !== undefined && { cachedTokens }) };
}

function recordOf(text: string, promptDelta: readonly number[] | undefined, attempted: Attempted): Json {
  const { sample, seed, failed } = attempted;
  const { tokenIds, logprobs, finishReason, stopReason, weightVersion, endpoint } = sample;
  const record: SampleRecord = {
    text,
    ...(promptDelta && { promptDelta, tokenIds: tokenIds!, logprobs: logprobs! }),
    finishReason,
    ...(stopReason !== undefined && { stopReason }),
    ...(weightVersion !== undefined && { weightVersion }),
    endpoint,
    seed,
    attempts: failed.length + 1,
    ...(failed.length > 0 && { failed }),
  };
  return record as unknown as Json;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
