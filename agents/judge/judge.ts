import { wholeFrom, within } from "../../core/check.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { Message } from "../../core/dialogue.ts";
import { InputError } from "../../core/errors.ts";
import { deriveSeed } from "../../core/rng.ts";
import type { Node } from "../../core/rollout/tree.ts";
import type { ScoreInput, Scorer } from "../../core/scorer.ts";
import type { Task } from "../../core/task.ts";
import { ServerError } from "../model-server/errors.ts";
import type { ModelServer, Sample, SampleRequest } from "../model-server/model-server.ts";
import type { Chat } from "../model-server/tokens/chat.ts";
import { treeIdOf } from "../model-server/tree-id.ts";
import { branchDigest } from "./branch-digest.ts";
import type { SampledToken } from "./expectation.ts";
import { Meter, type ScoreFailure, type ScorerUsage } from "./meter.ts";
import { DEFAULT_RUBRIC, judgePrompt, type Rubric } from "./prompt.ts";
import { ratingOfSample } from "./rating-of-sample.ts";
import { SharedCalls } from "./shared-calls.ts";
import { STAGES, type Stage } from "./stages.ts";
import type { Transcript } from "./transcript.ts";

/** A scorer that asks a server, and says what that has cost. */
export interface MeteredScorer<Data, Obs, Act> extends Scorer<Data, Obs, Act> {
  usage(): ScorerUsage;
}

/** Options of {@link judgeScorer}. */
export interface JudgeOptions<Data, Obs, Act> {
  readonly server: ModelServer;
  /** The branch in words. It may read what the agent has seen and done, and nothing that is hidden from it. */
  readonly transcript: (task: Task<Data>, node: Node<Obs, Act>) => Transcript;
  /**
   * The conversation as tokens, the reply's opening included, or the `Chat` of the model; a token-exact server needs it.
   */
  readonly render?:
    | ((messages: readonly Message[], signal: AbortSignal) => readonly number[] | Promise<readonly number[]>)
    | Pick<Chat, "opening" | "textOf">;
  /**
   * The text of a reply that came as tokens and nothing else, as from `vllmGenerateServer`.
   * @default that of the `Chat` in `render`, if it is one
   */
  readonly decode?: (tokenIds: readonly number[], signal: AbortSignal) => string | Promise<string>;
  /**
   * The tokens of a reply as texts, with alternatives; ratings are then means over the digits' probabilities.
   * @default ratings are read as they are written
   */
  readonly tokens?: (sample: Sample) => readonly SampledToken[] | undefined;
  /** What the stages are rated by. @default words of our own */
  readonly rubric?: Partial<Rubric>;
  /** How much each stage counts, from 0. @default 1 each */
  readonly weights?: Partial<Readonly<Record<Stage, number>>>;
  /** Highest rating, from 1 to 100; above 9 a rating is no single digit and is read as written. @default 9 */
  readonly scale?: number;
  /** Most characters of issue, actions and observations, from 1000; the middle gives way. @default 40000 */
  readonly maxChars?: number;
  /** Most tokens of a reply. @default 300 */
  readonly maxTokens?: number;
  /** @default 0 */
  readonly temperature?: number;
  /** Replies whose ratings are averaged; more than one needs a temperature. @default 1 */
  readonly samples?: number;
  /** Alternatives asked for at each token, when there is `tokens`. @default 20, the most that vLLM gives by default */
  readonly topLogprobs?: number;
  /** Tokens that end a reply. @default none but the server's own */
  readonly stopTokenIds?: readonly number[];
  /** Scores that are kept. @default 10000 */
  readonly cache?: number;
  /** Told of every reply that gave no score. */
  readonly onFailure?: (failure: ScoreFailure) => void;
  /** @default the system's monotonic clock */
  readonly clock?: Clock;
}

/**
 * A language model as a judge of unfinished branches (PATR, arXiv 2607.15610): it rates diagnosis, editing and
 * verification from 0 to `scale`, and the score is their weighted mean over `scale`. Prompt, weights and scale are
 * ours, for the paper does not give its own.
 *
 * A server that fails and a reply that cannot be read are a missing score, never a zero; they are counted and not
 * asked again for the same branch at the same checkpoint. Equal branches are asked about once.
 *
 * What it protects against: text in the record cannot end its own block (the blocks' mark is taken out of it) and
 * cannot open another role of the chat (what templates read as special tokens is broken up). What it does not: a
 * record that talks the judge round inside its block, claims of success that no run backs, imitations of the mark, special
 * tokens of unknown templates, and a policy that learns in training what its judge likes. Do not reward by it.
 *
 * @throws {InputError} on bad options; in `score` when a reply is tokens without text and nothing makes text of them.
 */
export function judgeScorer<Data, Obs, Act>(
  options: JudgeOptions<Data, Obs, Act>,
): MeteredScorer<Data, Obs, Act> {
  const { server, transcript, tokens, scale, samples, request, weights, render, decode } = checked(options);
  const meter = new Meter(options.clock ?? systemClock, options.onFailure ?? (() => {}));
  const scores = new SharedCalls<number>(options.cache ?? 10_000);
  const prompting = {
    rubric: { ...DEFAULT_RUBRIC, ...options.rubric },
    scale,
    maxChars: options.maxChars ?? 40_000,
  };

  async function promptOf(input: ScoreInput<Data, Obs, Act>): Promise<Partial<SampleRequest>> {
    const messages = judgePrompt(transcript(input.task, input.node), prompting);
    return server.tokenExact ? { promptTokenIds: await render!(messages, input.signal) } : { messages };
  }

  async function withText(sample: Sample, signal: AbortSignal): Promise<Sample> {
    const { text, tokenIds = [] } = sample;
    if (text !== "" || tokenIds.length === 0) return sample;
    if (decode !== undefined) return { ...sample, text: await decode(tokenIds, signal) };
    // One token is the end of the reply; more of them are words, unless `tokens` spells them.
    if (tokenIds.length === 1 || tokens?.(sample) !== undefined) return sample;
    throw new InputError(
      `judgeScorer: ${server.name} gives tokens and no text; pass \`decode\`, or a chat template as \`render\``,
    );
  }

  async function rate(input: ScoreInput<Data, Obs, Act>, digest: string): Promise<number | undefined> {
    const { signal, report = () => {} } = input;
    const prompt = await promptOf(input).catch((error: unknown) => {
      signal.throwIfAborted();
      // Of a chat that asks its server; anything else is the caller's own.
      if (!(error instanceof ServerError)) throw error;
      report({ fault: meter.failure(error) });
    });
    if (prompt === undefined) return undefined;
    const ratings = await Promise.all(
      Array.from({ length: samples }, async (_, index) => {
        const seed = deriveSeed("judge", digest, index) % 2 ** 31;
        try {
          const sample = await meter.call(() =>
            server.sample(
              {
                ...request,
                ...prompt,
                seed,
                affinity: input.task.id,
                tree: treeIdOf(input.task, input.node),
              },
              signal,
            ),
          );
          report({ usage: meter.tokens(sample) });
          return ratingOfSample(await withText(sample, signal), { scale, weights, tokens });
        } catch (error) {
          signal.throwIfAborted();
          const fault = meter.failure(error);
          if (error instanceof InputError) throw error;
          report({ fault });
          return undefined;
        }
      }),
    );
    const given = ratings.filter((rating) => rating !== undefined);
    return given.length === 0 ? undefined : given.reduce((sum, one) => sum + one, 0) / given.length;
  }

  return {
    name: `judge(${server.name})`,
    async score(input) {
      const digest = branchDigest(input.task, input.node);
      return scores.get(digest, input.signal, (signal) => rate({ ...input, signal }, digest));
    },
    usage: () => meter.usage(scores.hits),
  };
}

function checked<Data, Obs, Act>(options: JudgeOptions<Data, Obs, Act>) {
  const { server, transcript, render, tokens, scale = 9, samples = 1, temperature = 0 } = options;
  const { maxTokens = 300, topLogprobs = 20, stopTokenIds = [] } = options;
  if (server.tokenExact && render === undefined) {
    throw new InputError(
      `judgeScorer: ${server.name} takes tokens; pass \`render\`, which makes them of messages`,
    );
  }
  within(1, 100, "judgeScorer", "scale", wholeFrom(1, "judgeScorer", "scale", scale));
  wholeFrom(1, "judgeScorer", "samples", samples);
  wholeFrom(1, "judgeScorer", "maxTokens", maxTokens);
  wholeFrom(0, "judgeScorer", "topLogprobs", topLogprobs);
  wholeFrom(1000, "judgeScorer", "maxChars", options.maxChars ?? 1000);
  wholeFrom(0, "judgeScorer", "cache", options.cache ?? 0);
  within(0, 2, "judgeScorer", "temperature", temperature);
  if (samples > 1 && temperature === 0) {
    throw new InputError(
      "judgeScorer: several `samples` at `temperature` 0 are all the same; set one of them",
    );
  }
  const weights = { diagnosis: 1, editing: 1, verification: 1, ...options.weights };
  for (const stage of STAGES) {
    within(0, Number.MAX_SAFE_INTEGER, "judgeScorer", `weights.${stage}`, weights[stage]);
  }
  if (STAGES.every((stage) => weights[stage] === 0)) {
    throw new InputError("judgeScorer: expected one of `weights` to be above 0, got none");
  }
  const request = {
    maxTokens,
    temperature,
    topP: 1,
    topK: -1,
    stopTokenIds,
    topLogprobs: tokens === undefined ? 0 : topLogprobs,
  };
  return { server, transcript, tokens, scale, samples, request, weights, ...wordsOf(options) };
}

/** A `Chat` as the two functions that it stands for. */
function wordsOf<Data, Obs, Act>({ render, decode }: JudgeOptions<Data, Obs, Act>) {
  if (typeof render !== "object") return { render, decode };
  return {
    render: (messages: readonly Message[], signal: AbortSignal) => render.opening(messages, signal),
    decode: decode ?? ((ids: readonly number[], signal: AbortSignal) => render.textOf(ids, signal)),
  };
}
