/** How the scores of a branch's steps become one (PATR, arXiv 2607.15610, names all but `min` and uses `last`). */
export const AGGREGATES = ["last", "mean", "max", "min", "weighted"] as const;

export type Aggregate = (typeof AGGREGATES)[number];

/**
 * One score of the steps' scores, oldest first, at least one: the last, the mean, the greatest, the least, or the mean
 * in which the i-th of n weighs i (`weighted`; the paper's weights are not published, these are ours).
 */
export function aggregated(scores: readonly number[], how: Aggregate): number {
  switch (how) {
    case "last":
      return scores.at(-1)!;
    case "mean":
      return weightedMean(scores, () => 1);
    case "max":
      return scores.reduce((most, score) => Math.max(most, score));
    case "min":
      return scores.reduce((least, score) => Math.min(least, score));
    case "weighted":
      return weightedMean(scores, (index) => index + 1);
  }
}

/** Kept between the least and the greatest score, which rounding may leave. */
function weightedMean(scores: readonly number[], weight: (index: number) => number): number {
  let sum = 0;
  let total = 0;
  scores.forEach((score, index) => {
    sum += weight(index) * score;
    total += weight(index);
  });
  return Math.min(aggregated(scores, "max"), Math.max(aggregated(scores, "min"), sum / total));
}
