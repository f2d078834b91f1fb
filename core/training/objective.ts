import { onlyKnown } from "../check.ts";
import { InputError } from "../errors.ts";
import { type Aggregation, sequenceScales } from "./aggregation.ts";

/** One row as numbers. A token may be a token or a whole turn; all lists have one entry per token. */
export interface Sequence {
  /** Natural log-probabilities under the policy that is trained. */
  readonly logprobs: ArrayLike<number>;
  /** Those under the policy that sampled. */
  readonly oldLogprobs: ArrayLike<number>;
  /** Those under a fixed reference; needed if `klCoef` is above 0. */
  readonly refLogprobs?: ArrayLike<number>;
  /** Of the whole sequence. */
  readonly advantage: number;
  /** At least 0; a token at 0 is masked and its log-probabilities are not read. @default 1 for each */
  readonly weights?: ArrayLike<number>;
  /**
   * The task or tree that the sequence is a leaf of: any value, the same one (as the keys of a Map are) for all of a
   * group. Needed by `group-mean-token-mean`, and read by nothing else.
   */
  readonly group?: unknown;
}

export interface ObjectiveOptions {
  /** Ratios below 1 - clipLow are clipped; from 0 to 1. @default 0.2 */
  readonly clipLow?: number;
  /** Ratios above 1 + clipHigh are clipped; from 0 up. DAPO's clip-higher. @default 0.28 */
  readonly clipHigh?: number;
  /** Bound c > 1 on the ratio where the advantage is negative; verl's default is 3. @default no bound */
  readonly dualClip?: number;
  /** Weight of the KL term to the reference, from 0 up. PATR reports 0.001. @default 0 */
  readonly klCoef?: number;
  /** @default "seq-mean-token-mean" */
  readonly aggregation?: Aggregation;
  /** Divisor of `seq-mean-token-sum-norm`, above 0. @default the length of the longest sequence */
  readonly scaleFactor?: number;
}

/** The loss to minimise and its gradient. The means are over tokens, by weight; 0 if all are masked. */
export interface Objective {
  readonly loss: number;
  /** d loss / d logprob: one list per sequence, one number per token, 0 where masked. */
  readonly gradients: readonly Float64Array[];
  /** Share of tokens whose clipped loss is the larger one, so that they have no policy gradient. */
  readonly clipFraction: number;
  /** Share of tokens held by `dualClip`. */
  readonly dualClipFraction: number;
  /** Mean k3 estimate of KL(policy || reference); 0 without a reference. */
  readonly kl: number;
  readonly ratioMean: number;
}

const MAX_LOG_RATIO = 20;
const MAX_KL = 10;

/**
 * The clipped GRPO objective with its gradient (verl core_algos.py). Per token, with A the advantage:
 *
 *     ratio = exp(clamp(logprob - old, -20, 20))
 *     loss  = max(-A ratio, -A clip(ratio, 1 - clipLow, 1 + clipHigh)),   at most -A dualClip where A < 0
 *     k3    = clamp(exp(d) - d - 1, -10, 10),   d = clamp(ref - logprob, -20, 20)
 *
 * and loss + klCoef * k3 is aggregated over tokens and sequences; see {@link Aggregation} for the weights.
 * A clamp that holds has gradient 0.
 *
 * PATR's Eq. 2 (arXiv 2607.15610) is `group-mean-token-mean` with a symmetric clip (`clipHigh` as large as `clipLow`)
 * and, as the paper trains it, `klCoef` 0.001. The defaults are others: they count every leaf alike, clip at 0.2 and
 * 0.28, and have no KL term.
 * @throws {InputError} on an unknown option or one out of its bounds, lists of different lengths, a negative weight, a
 * number that is not finite where it counts, a `klCoef` without `refLogprobs`, or `group-mean-token-mean` without
 * groups.
 */
export function clippedObjective(sequences: readonly Sequence[], options: ObjectiveOptions = {}): Objective {
  const { clipLow = 0.2, clipHigh = 0.28, dualClip = Number.POSITIVE_INFINITY, klCoef = 0 } = options;
  const { aggregation, scaleFactor } = options;
  onlyKnown("clippedObjective", options, { clipLow, clipHigh, dualClip, klCoef, aggregation, scaleFactor });
  checkOption("clipLow", clipLow, clipLow >= 0 && clipLow <= 1, "a number from 0 to 1");
  checkOption("clipHigh", clipHigh, clipHigh >= 0, "a number from 0 up");
  checkOption("dualClip", dualClip, dualClip > 1, "a number above 1");
  checkOption("klCoef", klCoef, klCoef >= 0 && klCoef < Number.POSITIVE_INFINITY, "a number from 0 up");
  sequences.forEach((sequence, index) => {
    checkSequence(sequence, index, klCoef > 0);
  });
  const scales = sequenceScales(sequences, aggregation, scaleFactor);

  let loss = 0;
  let weightSum = 0;
  let clipped = 0;
  let dualClipped = 0;
  let klSum = 0;
  let ratioSum = 0;
  const gradients = sequences.map((sequence, index) => {
    const { logprobs, oldLogprobs, refLogprobs, advantage, weights } = sequence;
    const gradient = new Float64Array(logprobs.length);
    for (let t = 0; t < gradient.length; t++) {
      const weight = weights === undefined ? 1 : weights[t]!;
      if (weight === 0) continue;
      const logprob = logprobs[t]!;
      const difference = logprob - oldLogprobs[t]!;
      const ratio = Math.exp(clamp(difference, MAX_LOG_RATIO));
      const bound = Math.min(Math.max(ratio, 1 - clipLow), 1 + clipHigh);
      let tokenLoss = -advantage * ratio;
      let slope = Math.abs(difference) <= MAX_LOG_RATIO ? tokenLoss : 0;
      if (-advantage * bound > tokenLoss) {
        tokenLoss = -advantage * bound;
        slope = 0;
        clipped += weight;
      }
      if (advantage < 0 && tokenLoss > -advantage * dualClip) {
        tokenLoss = -advantage * dualClip;
        slope = 0;
        dualClipped += weight;
      }
      if (refLogprobs !== undefined) {
        const d = clamp(refLogprobs[t]! - logprob, MAX_LOG_RATIO);
        const k3 = clamp(Math.exp(d) - d - 1, MAX_KL);
        klSum += weight * k3;
        tokenLoss += klCoef * k3;
        if (k3 < MAX_KL) slope += klCoef * (1 - Math.exp(d));
      }
      const scale = weight * scales[index]!;
      loss += scale * tokenLoss;
      gradient[t]! += scale * slope; // not `=`, which would store -0
      weightSum += weight;
      ratioSum += weight * ratio;
    }
    return gradient;
  });
  const mean = (sum: number): number => (weightSum === 0 ? 0 : sum / weightSum);
  return {
    loss,
    gradients,
    clipFraction: mean(clipped),
    dualClipFraction: mean(dualClipped),
    kl: mean(klSum),
    ratioMean: mean(ratioSum),
  };
}

function clamp(value: number, bound: number): number {
  return Math.min(Math.max(value, -bound), bound);
}

function checkOption(name: string, value: number, good: boolean, expected: string): void {
  if (!good) throw new InputError(`clippedObjective: expected \`${name}\` to be ${expected}, got ${value}`);
}

function checkSequence(sequence: Sequence, index: number, needsReference: boolean): void {
  const { logprobs, oldLogprobs, refLogprobs, advantage, weights } = sequence;
  const where = `clippedObjective: sequence ${index}`;
  if (!Number.isFinite(advantage)) throw new InputError(`${where}: \`advantage\` is ${advantage}`);
  if (needsReference && refLogprobs === undefined) {
    throw new InputError(`${where}: a \`klCoef\` above 0 needs \`refLogprobs\`, got none`);
  }
  const length = logprobs.length;
  for (const [name, list] of [
    ["oldLogprobs", oldLogprobs],
    ["refLogprobs", refLogprobs],
    ["weights", weights],
  ] as const) {
    if (list !== undefined && list.length !== length) {
      throw new InputError(`${where}: expected ${length} \`${name}\`, as \`logprobs\`, got ${list.length}`);
    }
  }
  for (let t = 0; t < length; t++) {
    const weight = weights === undefined ? 1 : weights[t]!;
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new InputError(`${where}: expected weights from 0 up, got ${weight} at token ${t}`);
    }
    if (weight === 0) continue;
    if (Number.isFinite(logprobs[t]! + oldLogprobs[t]! + (refLogprobs === undefined ? 0 : refLogprobs[t]!))) {
      continue;
    }
    throw new InputError(`${where}: a log-probability of token ${t} is not finite`);
  }
}
