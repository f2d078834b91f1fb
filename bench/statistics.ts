/** How many times faster one side was than the other, over the rounds of one run. */
export interface RatioSummary {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
  readonly rounds: number;
}

/**
 * The value below which `share` of the values lie, interpolated between neighbours as numpy's default does.
 * NaN for no values.
 * @param share from 0 to 1.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Each round's peer time over our time of the same round; equal lengths, in the order of the rounds. */
export function ratioSummary(ours: readonly number[], peer: readonly number[]): RatioSummary {
  if (ours.length !== peer.length) {
    throw new RangeError(
      `bench: expected as many rounds on both sides, got ${ours.length} and ${peer.length}`,
    );
  }
  const ratios = ours.map((ns, round) => peer[round]! / ns);
  return {
    median: median(ratios),
    p10: percentile(ratios, 0.1),
    p90: percentile(ratios, 0.9),
    rounds: ratios.length,
  };
}
