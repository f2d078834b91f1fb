import type { CellResult } from "./cell.ts";

/** Mean over seeds, with its standard error (sample standard deviation over the root of n; NaN for one seed). */
export interface Estimate {
  readonly mean: number;
  readonly se: number;
  readonly n: number;
}

export function estimate(values: readonly number[]): Estimate {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { mean, se: Math.sqrt(variance / n), n };
}

/** A variant of one regime over all its seeds. */
export interface Row {
  readonly method: string;
  readonly setting: string;
  /** Held-out success at each quarter of the budget. */
  readonly success: readonly Estimate[];
  /** Pass@4 at the end of the budget. */
  readonly pass: Estimate;
  /** Share of mixed groups over the whole training. */
  readonly mixed: Estimate;
  readonly cells: readonly CellResult[];
}

/** Rows of a regime in the order in which their cells first come. */
export function rowsOf(cells: readonly CellResult[]): Row[] {
  const groups = new Map<string, CellResult[]>();
  for (const cell of cells) {
    const key = `${cell.method} ${cell.setting}`;
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  return [...groups.values()].map((group) => ({
    method: group[0]!.method,
    setting: group[0]!.setting,
    success: group[0]!.evaluations.map((_, at) =>
      estimate(group.map(({ evaluations }) => evaluations[at]!.success)),
    ),
    pass: estimate(group.map(({ evaluations }) => evaluations.at(-1)!.pass)),
    mixed: estimate(
      group.map(({ curve }) => curve.reduce((sum, { mixed }) => sum + mixed, 0) / curve.length),
    ),
    cells: group,
  }));
}

/** The row of a method with the highest success at the end. */
export function bestOf(rows: readonly Row[], method: string): Row | undefined {
  const end = (row: Row) => row.success.at(-1)!.mean;
  return rows
    .filter((row) => row.method === method)
    .reduce<Row | undefined>(
      (best, row) => (best === undefined || end(row) > end(best) ? row : best),
      undefined,
    );
}

/** Whether the intervals of two standard errors lie apart, `low`'s below `high`'s. */
export function clearlyBelow(low: Estimate, high: Estimate): boolean {
  return low.mean + 2 * low.se < high.mean - 2 * high.se;
}
