import { oneOf } from "../../core/check.ts";
import type { TaskSet } from "../../core/task.ts";
import type { NamedTaskSet } from "../kit.ts";
import { checkOptions } from "../options.ts";
import { lazySet } from "./lazy-set.ts";
import { drawRllmMap } from "./maps.ts";
import { Mt19937 } from "./numpy/mt19937.ts";
import type { RllmLakeData } from "./rllm-rules.ts";

/** One row of rLLM's FrozenLake data. */
export interface RllmRow {
  readonly seed: number;
  /** 2 to 9. */
  readonly size: number;
  /** Probability of frozen ice, 0.6 to 0.85. */
  readonly p: number;
}

const SIZES = { train: 10_000, test: 100 } as const;

let rows: { readonly train: readonly RllmRow[]; readonly test: readonly RllmRow[] } | undefined;

/**
 * The rows of rLLM's FrozenLake data: 10,000 for training and 100 for tests, all from numpy's legacy generator
 * with seed 42. Source: rLLM v0.2.1 prepare_frozenlake_data.py.
 */
export function rllmRows(split: "train" | "test"): readonly RllmRow[] {
  rows ??= drawRows();
  return rows[split];
}

function drawRows(): { train: RllmRow[]; test: RllmRow[] } {
  const random = new Mt19937(42);
  // The order of the draws is the script's.
  const seeds = {
    train: random.randint(0, 100_000, SIZES.train),
    test: random.randint(0, 100_000, SIZES.test),
  };
  const sizes = { train: random.randint(2, 10, SIZES.train), test: random.randint(2, 10, SIZES.test) };
  const ps = { train: random.uniform(0.6, 0.85, SIZES.train), test: random.uniform(0.6, 0.85, SIZES.test) };
  const rowsOf = (split: "train" | "test"): RllmRow[] =>
    seeds[split].map((seed, i) => ({ seed, size: sizes[split][i]!, p: ps[split][i]! }));
  return { train: rowsOf("train"), test: rowsOf("test") };
}

/** rLLM's FrozenLake tasks: the maps of its rows, 10 turns, no slips. */
export const rllmSets: readonly NamedTaskSet<RllmLakeData>[] = (["train", "test"] as const).map((split) => {
  const name = `frozen-lake/rllm-${split}`;
  const summary = `rLLM's ${SIZES[split].toLocaleString("en")} ${split} maps: 2x2 to 9x9, 10 turns, no slips`;
  return {
    name,
    summary,
    options: {
      limit: "search depth of the map generator: 5 for the maps that rLLM plays (default), 8 as written",
    },
    make(options = {}): TaskSet<RllmLakeData> {
      checkOptions(name, ["limit"], options);
      const limit = oneOf(["5", "8"], name, "limit", options.limit ?? "5") === "5" ? 5 : 8;
      return lazySet({
        name,
        version: 1,
        size: SIZES[split],
        summary: limit === 5 ? summary : `${summary}, search depth ${limit}`,
        task(index) {
          const row = rllmRows(split)[index]!;
          const map = drawRllmMap({ ...row, limit });
          const id = `rllm-${split}/${row.seed}_${row.size}_${row.p}`;
          return { id, data: { map, maxTurns: 10, ...row } };
        },
      });
    },
  };
});
