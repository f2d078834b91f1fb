import { createRng, deriveSeed, type Rng } from "../../core/rng.ts";
import type { WeightedReply } from "./policies.ts";
import { tinyTokenizer } from "./tokenizer.ts";

/** How one reply is to be sampled. */
export interface SamplingRules {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly includeStop: boolean;
  readonly skipSpecial: boolean;
  /** How many alternatives a token are reported. */
  readonly topLogprobs: number;
  /** Whether log-probabilities are those after temperature, top-k and top-p. @default false */
  readonly processed?: boolean;
}

export interface TokenLogprob {
  readonly id: number;
  readonly logprob: number;
}

/** One sampled reply. Faults change its fields, so that logprobs may be null or too few. */
export interface SampledReply {
  readonly tokenIds: readonly number[];
  readonly text: string;
  readonly logprobs: readonly (number | null)[] | null;
  /** For each token the likeliest ones, best first. */
  readonly top: readonly (readonly TokenLogprob[])[];
  readonly finishReason: string;
  readonly stopReason: number | string | null;
}

/** vLLM writes this where a log-probability is NaN or minus infinity. */
export const NEVER = -9999;

/** The stream of a sample: it depends on the prompt and the seed alone. */
export function sampleRng(promptTokenIds: readonly number[], seed: number): Rng {
  return createRng(deriveSeed(seed, promptTokenIds.join(",")));
}

/**
 * Samples token by token from the distribution that the weighted replies make. A log-probability is that of the
 * token after those before it, at temperature 1 as in vLLM's default, unless the rules say `processed`: over a whole
 * reply they sum to its log-probability.
 */
export function sampleReply(
  replies: readonly WeightedReply[],
  rules: SamplingRules,
  rng: () => Rng,
): SampledReply {
  let open = replies.map(({ text, weight }) => ({ ids: encoded(text), weight }));
  const tokenIds: number[] = [];
  const logprobs: number[] = [];
  const top: TokenLogprob[][] = [];
  const ends = new Set(rules.stopTokenIds);
  let draws: Rng | undefined;
  let finishReason = "length";
  let stopReason: number | string | null = null;
  while (tokenIds.length < rules.maxTokens) {
    const at = tokenIds.length;
    const choices = nextTokens(open, at);
    if (choices.length > 1 && rules.temperature > 0) draws ??= rng();
    const { id } = pick(choices, rules, draws);
    const told = rules.processed ? processed(choices, rules) : choices;
    tokenIds.push(id);
    logprobs.push(told.find((choice) => choice.id === id)!.logprob);
    if (rules.topLogprobs > 0) top.push(padded(told, rules.topLogprobs));
    open = open.filter(({ ids }) => ids[at] === id);
    if (id !== tinyTokenizer.eosTokenId && !ends.has(id)) continue;
    finishReason = "stop";
    // An end of sequence is no stop token, even if it is asked for as one.
    if (id !== tinyTokenizer.eosTokenId) stopReason = id;
    break;
  }
  const cut = stopAt(tokenIds, rules.stop);
  if (cut !== undefined) {
    tokenIds.length = logprobs.length = cut.length;
    top.splice(cut.length);
    finishReason = "stop";
    stopReason = cut.stop;
  }
  const stoppedByToken = cut === undefined && finishReason === "stop" && !rules.includeStop;
  let text = tinyTokenizer.decode(stoppedByToken ? tokenIds.slice(0, -1) : tokenIds, rules.skipSpecial);
  if (cut !== undefined && !rules.includeStop) text = text.slice(0, text.indexOf(cut.stop));
  return { tokenIds, text, logprobs, top, finishReason, stopReason };
}

const known = new Map<string, readonly number[]>();

function encoded(text: string): readonly number[] {
  let ids = known.get(text);
  if (ids === undefined) {
    ids = [...tinyTokenizer.encode(text), tinyTokenizer.eosTokenId];
    if (known.size > 1000) known.clear();
    known.set(text, ids);
  }
  return ids;
}

function nextTokens(
  open: readonly { ids: readonly number[]; weight: number }[],
  at: number,
): readonly TokenLogprob[] {
  if (open.length === 1) return [{ id: open[0]!.ids[at]!, logprob: 0 }];
  const weights = new Map<number, number>();
  let total = 0;
  for (const { ids, weight } of open) {
    weights.set(ids[at]!, (weights.get(ids[at]!) ?? 0) + weight);
    total += weight;
  }
  const choices = [...weights].map(([id, weight]) => ({ id, logprob: Math.log(weight / total) }));
  return choices.sort((a, b) => b.logprob - a.logprob || a.id - b.id);
}

function pick(choices: readonly TokenLogprob[], rules: SamplingRules, rng: Rng | undefined): TokenLogprob {
  const first = choices[0]!;
  if (rng === undefined || choices.length === 1) return first;
  const kept = keptOf(choices, rules);
  let left = rng.next() * kept.reduce((sum, { weight }) => sum + weight, 0);
  for (const { choice, weight } of kept) {
    left -= weight;
    if (left < 0) return choice;
  }
  return kept.at(-1)!.choice;
}

/** What is left of the choices by temperature, top-k and top-p, with weights that do not sum to 1. */
function keptOf(choices: readonly TokenLogprob[], rules: SamplingRules) {
  let kept = choices.map((choice) => ({ choice, weight: Math.exp(choice.logprob / rules.temperature) }));
  if (rules.topK > 0) kept = kept.slice(0, rules.topK);
  const total = kept.reduce((sum, { weight }) => sum + weight, 0);
  let mass = 0;
  return kept.filter(({ weight }) => {
    const before = mass;
    mass += weight / total;
    return before < rules.topP;
  });
}

/** The distribution that is sampled from; at temperature 0 there is none, and the log-probabilities stay as they are. */
function processed(choices: readonly TokenLogprob[], rules: SamplingRules): readonly TokenLogprob[] {
  if (rules.temperature === 0) return choices;
  const kept = keptOf(choices, rules);
  const total = kept.reduce((sum, { weight }) => sum + weight, 0);
  return kept.map(({ choice, weight }) => ({ id: choice.id, logprob: Math.log(weight / total) }));
}

/** The best `count`; tokens that the policy never gives fill up. */
function padded(choices: readonly TokenLogprob[], count: number): TokenLogprob[] {
  const best = choices.slice(0, count);
  for (let id = 97; best.length < count; id++) {
    if (!choices.some((choice) => choice.id === id)) best.push({ id, logprob: NEVER });
  }
  return best;
}

/** Where the first stop string is complete, in tokens. */
function stopAt(
  tokenIds: readonly number[],
  stops: readonly string[],
): { stop: string; length: number } | undefined {
  if (stops.length === 0) return undefined;
  // A special token becomes a byte that no text has.
  const bytes = Buffer.from(tokenIds.map((id) => (id < 256 ? id : 255)));
  let first: { stop: string; length: number } | undefined;
  for (const stop of stops) {
    const at = bytes.indexOf(stop);
    const length = at + Buffer.byteLength(stop);
    if (at >= 0 && (first === undefined || length < first.length)) first = { stop, length };
  }
  return first;
}
