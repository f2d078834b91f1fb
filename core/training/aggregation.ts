import { InputError } from "../errors.ts";

/**
 * How token losses L with weights w become one number (the names are those of verl core_algos.py). With W the
 * sum of a sequence's weights, and N the number of sequences with W > 0 (a fully masked one does not count):
 * - `token-mean`: sum of w L over all tokens / sum of all W (DAPO);
 * - `seq-mean-token-mean`: mean over the N sequences of (sum of w L / W) (the original GRPO, and PATR's Eq. 2);
 * - `seq-mean-token-sum`: sum of w L over all tokens / N;
 * - `seq-mean-token-sum-norm`: sum of w L over all tokens / `scaleFactor` (Dr. GRPO).
 *
 * So a weight is a fraction of a token wherever tokens are counted, and a sequence counts as one whole as soon
 * as it has any weight. With weights of 0 and 1 these are verl's masks.
 */
export type Aggregation =
  | "token-mean"
  | "seq-mean-token-mean"
  | "seq-mean-token-sum"
  | "seq-mean-token-sum-norm";

/** What the length and the weights of a sequence are read of. */
export interface Weighted {
  readonly logprobs: { readonly length: number };
  readonly weights?: ArrayLike<number>;
}

/** For each sequence the factor of its sum of w L in the loss; 0 for a fully masked one. */
export function sequenceScales(
  sequences: readonly Weighted[],
  aggregation: Aggregation = "seq-mean-token-mean",
  scaleFactor: number = sequences.reduce((longest, { logprobs }) => Math.max(longest, logprobs.length), 1),
): number[] {
  if (!(scaleFactor > 0 && Number.isFinite(scaleFactor))) {
    throw new InputError(`clippedObjective: expected \`scaleFactor\` to be above 0, got ${scaleFactor}`);
  }
  const totals = sequences.map(({ logprobs, weights }) => {
    if (weights === undefined) return logprobs.length;
    let total = 0;
    for (let t = 0; t < weights.length; t++) total += weights[t]!;
    return total;
  });
  const all = totals.reduce((sum, total) => sum + total, 0);
  const count = totals.filter((total) => total > 0).length;
  const scaleOf = scaleRule(aggregation, all, count, scaleFactor);
  return totals.map((total) => (total > 0 ? scaleOf(total) : 0));
}

function scaleRule(
  aggregation: Aggregation,
  all: number,
  count: number,
  scaleFactor: number,
): (total: number) => number {
  switch (aggregation) {
    case "token-mean":
      return () => 1 / all;
    case "seq-mean-token-mean":
      return (total) => 1 / (count * total);
    case "seq-mean-token-sum":
      return () => 1 / count;
    case "seq-mean-token-sum-norm":
      return () => 1 / scaleFactor;
    default:
      throw new InputError(`clippedObjective: unknown \`aggregation\` ${aggregation satisfies never}`);
  }
}
