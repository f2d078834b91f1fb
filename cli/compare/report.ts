import { percent, table } from "../tables.ts";
import type { CellResult } from "./cell.ts";
import type { Regime } from "./regimes.ts";
import { bestOf, clearlyBelow, type Estimate, type Row, rowsOf } from "./stats.ts";

/** The comparison as Markdown: a table a regime, and what two standard errors say about the methods at their best. */
export function compareReport(regimes: readonly Regime[], cells: readonly CellResult[]): string {
  return regimes
    .flatMap((regime) => {
      const rows = rowsOf(cells.filter((cell) => cell.regime === regime.name));
      return rows.length === 0 ? [] : [regimeReport(regime, rows)];
    })
    .join("\n\n");
}

function regimeReport(regime: Regime, rows: readonly Row[]): string {
  const steps = [1, 2, 3, 4].map(
    (quarter) => `${(Math.ceil((regime.updates * quarter) / 4) * regime.stepsPerUpdate) / 1000}k`,
  );
  const seeds = Math.max(...rows.map(({ cells }) => cells.length));
  const body = rows.map(({ method, setting, success, pass, mixed }) => [
    method,
    setting,
    ...success.map(plusMinus),
    plusMinus(pass),
    percent(mixed.mean),
  ]);
  return [
    `### ${regime.title}`,
    "",
    `Success on ${regime.test} in percent, mean ± standard error over ${seeds} ${seeds === 1 ? "seed" : "seeds"}, after so many env steps; ` +
      `Pass@4 at the end; mixed: share of the groups with mixed outcomes while training.`,
    "",
    table(["method", "setting", ...steps, "Pass@4", "mixed"], body),
    "",
    ...failures(rows),
    ...verdicts(rows),
  ].join("\n");
}

/** Said only where there is something to say. */
function failures(rows: readonly Row[]): string[] {
  const failed = rows
    .flatMap(({ cells }) => cells.flatMap(({ evaluations }) => evaluations))
    .reduce((sum, each) => sum + (each.failed ?? 0), 0);
  return failed === 0 ? [] : [`${failed} episodes of the evaluations failed and are left out.`, ""];
}

function plusMinus({ mean, se }: Estimate): string {
  return Number.isFinite(se)
    ? `${(100 * mean).toFixed(1)} ± ${(100 * se).toFixed(1)}`
    : (100 * mean).toFixed(1);
}

const LADDER = ["grpo", "tree-random", "patr"];

/** Each step of the ladder, methods at their best settings. */
function verdicts(rows: readonly Row[]): string[] {
  const best = LADDER.flatMap((method) => bestOf(rows, method) ?? []);
  return best.slice(1).map((high, at) => {
    const low = best[at]!;
    const [a, b] = [low.success.at(-1)!, high.success.at(-1)!];
    const said = clearlyBelow(a, b)
      ? "lies below"
      : clearlyBelow(b, a)
        ? "lies above"
        : "is not told apart from";
    return `- ${named(low)} (${interval(a)}) ${said} ${named(high)} (${interval(b)}) at two standard errors.`;
  });
}

function named({ method, setting }: Row): string {
  return `${method} at its best, ${setting}`;
}

function interval({ mean, se }: Estimate): string {
  return Number.isFinite(se) ? `${percent(mean - 2 * se)} to ${percent(mean + 2 * se)}` : percent(mean);
}
