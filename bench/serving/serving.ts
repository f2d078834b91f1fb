import { percent, table } from "../../cli/tables.ts";
import { median } from "../statistics.ts";
import { cpuCost } from "./cpu.ts";
import { type LoadOptions, measureLoad } from "./load.ts";
import { compareTokens, type TokenComparison, type TokenCost } from "./tokens.ts";

export interface ServingOptions extends LoadOptions {
  /** Comparisons of tokens, each with its own seed. */
  readonly seeds: number;
  /** Fail if fewer slots are busy after warm-up, as a share. */
  readonly minBusy?: number;
  /** Fail if the core spends more CPU on a turn, in milliseconds. */
  readonly maxCoreMs?: number;
  /** Fail if PATR's branches have fewer of the prefix-cache hits that are possible, as a share. */
  readonly minHits?: number;
}

/** Median, least and most, and of how many. */
interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly n: number;
}

/** How well trees keep a model server busy, what they cost us, and what they spare it; on the test server. */
export async function servingBench(options: ServingOptions): Promise<number> {
  const { trees, slots, msPerStep, msPer1kPrefill, seeds } = options;
  const cpu = await cpuCost(trees);
  const load = await measureLoad({ trees, slots, msPerStep, msPer1kPrefill });
  const comparisons = await compareTokens(seeds, Math.ceil(trees / 2));
  const core = spread(cpu.core);
  const withTokens = spread(cpu.withTokens);
  const hits = Math.min(load.hitShare, ...comparisons.map(({ patr }) => patr.hitShare));
  const { least: busiest, n: parts } = spread(load.busyParts);
  const failures = [
    options.minBusy !== undefined &&
      !(load.busy >= options.minBusy) &&
      `${percent(load.busy)} of the slots busy, --min-busy asks for ${percent(options.minBusy)}`,
    options.maxCoreMs !== undefined &&
      core.median > options.maxCoreMs &&
      `the core takes ${core.median.toFixed(4)} ms a turn, --max-core-ms allows ${options.maxCoreMs}`,
    options.minHits !== undefined &&
      hits < options.minHits &&
      `${percent(hits)} of the possible hits, --min-hits asks for ${percent(options.minHits)}`,
  ].filter((failure) => failure !== false);
  const lines = [
    `serving: ${trees} trees at once, ${slots} slots, ${msPerStep} ms a step, ${msPer1kPrefill} ms for 1,000 ` +
      `computed prompt tokens, node ${process.versions.node}`,
    `slots busy: ${percent(load.busy)} over ${load.turns} turns in ${load.seconds.toFixed(1)} s after warm-up; ` +
      `${percent(busiest)} in the worst of ${parts} parts`,
    `prefix-cache hits of PATR: ${(100 * hits).toFixed(2)}% of what is possible, the least of ${seeds + 1} runs`,
    table(
      ["our CPU", "ms/turn", "least to most", "n"],
      [
        ["core: engine, Env, strategy, scorer", ...cells(core, 4)],
        ["and dialogue, template, tokenizer", ...cells(withTokens, 3)],
        ["and HTTP, under load", load.clientMs.toFixed(3), "", "1"],
      ],
    ),
    tokenTable(comparisons),
    ...failures.map((failure) => `failed: ${failure}`),
    JSON.stringify({ bench: "serving", core, withTokens, load, hits, comparisons, options }),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return failures.length > 0 ? 1 : 0;
}

/** Each row is for one generated token, so that both generate as much. */
function tokenTable(comparisons: readonly TokenComparison[]): string {
  const row = (name: string, of: (cost: TokenCost) => number) => {
    const side = (which: "patr" | "independent") => spread(comparisons.map((seed) => of(seed[which])));
    const ratio = spread(comparisons.map(({ patr, independent }) => of(patr) / of(independent)));
    const [value, range, n] = cells(ratio, 3);
    return [name, side("patr").median.toFixed(2), side("independent").median.toFixed(2), value, range, n];
  };
  return table(
    ["at equal generated tokens", "PATR", "independent", "ratio", "least to most", "n"],
    [
      row("prompt tokens computed, with the cache", ({ computed }) => computed),
      row("prompt tokens computed, without one", ({ prompt }) => prompt),
      row("generated tokens on the paths to leaves", ({ onPaths }) => onPaths),
      row("computed, with the cache, for each of these", ({ computed, onPaths }) => computed / onPaths),
      row("leaves for 1,000 generated tokens", ({ leavesPer1k }) => leavesPer1k),
    ],
  );
}

function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values), n: values.length };
}

function cells({ median, least, most, n }: Spread, digits: number): [string, string, string] {
  return [median.toFixed(digits), `${least.toFixed(digits)} to ${most.toFixed(digits)}`, String(n)];
}
