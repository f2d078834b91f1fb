import type { Summary } from "../core/run/report.ts";

/** A table in Markdown, its columns padded so that it reads well as text too. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(3, title.length, ...rows.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)].join(
    "\n",
  );
}

export function percent(share: number): string {
  return Number.isFinite(share) ? `${(100 * share).toFixed(1)}%` : "-";
}

/** A run in a few lines. */
export function summaryLines(summary: Summary): string[] {
  const { trees, incomplete, leaves, success, solved, mixed, turns, ends, budget } = summary;
  const counted = Object.entries(ends).map(([end, count]) => `${count} ${end}`);
  return [
    `${trees} trees${incomplete > 0 ? `, ${incomplete} of them with problems` : ""}; ${leaves} leaves: ${counted.join(", ")}`,
    `leaves won ${percent(success)}, tasks won at least once ${percent(solved)}, mixed groups ${percent(mixed)}, ` +
      `turns a leaf ${Number.isNaN(turns) ? "-" : turns.toFixed(2)}`,
    `${budget.envSteps} env steps, ${budget.resets} resets, ${budget.snapshots} snapshots, ${budget.forks} forks, ` +
      `${budget.scorerCalls} scores, ${budget.seconds.toFixed(1)} s`,
  ];
}
