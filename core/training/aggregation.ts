import { InputError } from "../errors.ts";

/**
 * How token losses L with weights w become one number (the names are those of verl core_algos.py). With W the
 * sum of a sequence's weights, and N the number of sequences with W > 0 (a fully masked one does not count):
 * - `token-mean`: sum of w L over all tokens / sum of all W (DAPO);
 * - `seq-mean-token-mean`: mean over the N sequences of (sum of w L / W) (the original GRPO; PATR's Eq. 2 where all
 *   groups are equally large, while larger trees weigh more otherwise);
 * - `group-mean-token-mean`: mean over the groups with a sequence of W > 0 of the mean over the group's own such
 *   sequences of (sum of w L / W), so that a tree of 4 leaves weighs as much as one of 10 (PATR's Eq. 2); each
 *   sequence names its `group`;
 * - `seq-mean-token-sum`: sum of w L over all tokens / N;
 * - `seq-mean-token-sum-norm`: sum of w L over all tokens / `scaleFactor` (Dr. GRPO).
 *
 * So a weight is a fraction of a token wherever tokens are counted, and a sequence counts as one whole as soon
 * as it has any weight. With weights of 0 and 1 these are verl's masks.
 */
export type Aggregation =
  | "token-mean"
  | "seq-mean-token-mean"
  | "group-mean-token-mean"
  | "seq-mean-token-sum"
  | "seq-mean-token-sum-norm";

/** What the length, the weights and the group of a sequence are read of. */
export interface Weighted {
  readonly logprobs: { readonly length: number };
  readonly weights?: ArrayLike<number>;
  readonly group?: unknown;
}

/**
 * For each sequence the factor of its sum of w L in the loss; 0 for a fully masked one.
 * @throws {InputError} on an unknown aggregation, a `scaleFactor` that is not above 0, or a sequence without a
 * `group` where groups are averaged.
 */
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
  if (aggregation === "group-mean-token-mean") return groupScales(sequences, totals);
  const all = totals.reduce((sum, total) => sum + total, 0);
  const count = totals.filter((total) => total > 0).length;
  const scaleOf = scaleRule(aggregation, all, count, scaleFactor);
  return totals.map((total) => (total > 0 ? scaleOf(total) : 0));
}

/** 1 / (groups * sequences of the group * W), both counted where W > 0. */
function groupScales(sequences: readonly Weighted[], totals: readonly number[]): number[] {
  const counts = new Map<unknown, number>();
  sequences.forEach(({ group }, index) => {
    if (group === undefined) {
      throw new InputError(
        `clippedObjective: sequence ${index}: \`group-mean-token-mean\` needs a \`group\`, got none`,
      );
    }
    if (totals[index]! > 0) counts.set(group, (counts.get(group) ?? 0) + 1);
  });
  return sequences.map(({ group }, index) => {
    const total = totals[index]!;
    return total > 0 ? 1 / (counts.size * counts.get(group)! * total) : 0;
  });
}

function scaleRule(
  aggregation: Exclude<Aggregation, "group-mean-token-mean">,
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
