import { join } from "node:path";
import { type RunFolder, writeWhole } from "../../core/run/run-folder.ts";
import type { Output } from "../output.ts";
import { type CellKey, type CellResult, cellName } from "./cell.ts";
import { checkCell } from "./check-cell.ts";
import { curvesSvg } from "./curves.ts";
import type { Variant } from "./methods.ts";
import { runCells } from "./pool.ts";
import type { Regime } from "./regimes.ts";
import { compareReport } from "./report.ts";
import { rowsOf } from "./stats.ts";

export interface CompareRunOptions {
  readonly regimes: readonly Regime[];
  readonly variants: readonly Variant[];
  readonly seeds: number;
  readonly workers: number;
  readonly signal: AbortSignal;
  readonly output: Output;
}

/** What a comparison found. */
export interface Comparison {
  readonly cells: readonly CellResult[];
  /** Markdown. */
  readonly report: string;
  /** Files written into the folder. */
  readonly files: readonly string[];
}

/**
 * Runs every cell that is not in `cells.jsonl` of the folder yet, then writes `report.md` and the curves.
 * Seeds go round last, so that a comparison that is stopped has the same seeds for every method.
 */
export async function runComparison(folder: RunFolder, options: CompareRunOptions): Promise<Comparison> {
  const { regimes, variants, seeds, workers, signal, output } = options;
  const done = new Map<string, CellResult>();
  const log = await folder.log("cells.jsonl", ({ value, line }) => {
    const cell = checkCell(value, `cells.jsonl line ${line}`);
    done.set(cellName(cell), cell);
  });
  const wanted = keysOf(regimes, variants, seeds);
  const left = wanted.filter((key) => !done.has(cellName(key)));
  const total = wanted.reduce((sum, { regime }) => sum + regime.updates, 0);
  let updates = total - left.reduce((sum, { regime }) => sum + regime.updates, 0);
  const bar = output.progress("compare", total);
  bar.update(updates);
  try {
    await runCells(left, {
      workers,
      signal,
      onUpdate: () => bar.update(++updates),
      onResult: async (result) => {
        await log.append(result);
        done.set(cellName(result), result);
      },
    });
  } finally {
    bar.stop();
  }
  const cells = wanted.map((key) => done.get(cellName(key))!);
  const report = compareReport(regimes, cells);
  const files = ["report.md"];
  await writeWhole(join(folder.path, "report.md"), `${report}\n`);
  for (const regime of regimes) {
    const name = `curves-${regime.name}.svg`;
    const rows = rowsOf(cells.filter((cell) => cell.regime === regime.name));
    await writeWhole(join(folder.path, name), curvesSvg(regime, rows));
    files.push(name);
  }
  return { cells, report, files };
}

function keysOf(regimes: readonly Regime[], variants: readonly Variant[], seeds: number): CellKey[] {
  return [...Array(seeds).keys()].flatMap((seed) =>
    regimes.flatMap((regime) => variants.map(({ method, setting }) => ({ regime, method, setting, seed }))),
  );
}
