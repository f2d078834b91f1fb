import { deriveSeed } from "../../core/rng.ts";
import type { TaskSet } from "../../core/task.ts";
import type { NamedTaskSet } from "../kit.ts";
import { checkOptions } from "../options.ts";
import { toMap } from "./gymnasium-maps.ts";
import type { LakeMap } from "./lake.ts";
import { lazySet } from "./lazy-set.ts";
import { drawPlacedBoard } from "./maps.ts";
import { Pcg64 } from "./numpy/pcg64.ts";
import type { RllmLakeData } from "./rllm-rules.ts";

/** Least and most moves from start to goal. */
const HARD_MOVES = { least: 8, most: 12 } as const;

const SIZES = { train: 10_000, test: 100 } as const;

/**
 * Lakes whose goal is 8 to 12 moves away, with 16 turns. A quarter of rLLM's maps need a single move, so that a
 * checkpoint finds little to tell branches apart by; here no goal is reached before the first one.
 */
export const hardSets: readonly NamedTaskSet<RllmLakeData>[] = (["train", "test"] as const).map((split) => {
  const name = `frozen-lake/hard-${split}`;
  const summary = `${SIZES[split].toLocaleString("en")} maps: 7x7 to 9x9, goal 8 to 12 moves away, 16 turns, no slips`;
  return {
    name,
    summary,
    make(options = {}): TaskSet<RllmLakeData> {
      checkOptions(name, [], options);
      return lazySet({
        name,
        version: 1,
        size: SIZES[split],
        summary,
        task(index) {
          const seed = deriveSeed("frozen-lake/hard", split, index);
          const { map, size, p } = drawHardMap(seed);
          return { id: `hard-${split}/${seed}_${size}_${p}`, data: { map, maxTurns: 16, seed, size, p } };
        },
      });
    },
  };
});

/** Size, then p, then boards with start and goal as rLLM places them, until the way is as long as wanted. */
function drawHardMap(seed: number): { readonly map: LakeMap; readonly size: number; readonly p: number } {
  const rng = Pcg64.seeded(seed);
  const size = rng.integers(7, 10);
  const p = rng.uniform(0.85, 0.95);
  for (;;) {
    const { cells, start } = drawPlacedBoard(rng, size, p);
    const moves = movesToGoal(cells, size, start);
    if (moves >= HARD_MOVES.least && moves <= HARD_MOVES.most) return { map: toMap(cells, size), size, p };
  }
}

/** Breadth first over a square board that is no map yet (most are thrown away); -1 if no way leads to G. */
function movesToGoal(cells: readonly string[], size: number, start: number): number {
  const moves = new Int32Array(cells.length).fill(-1);
  moves[start] = 0;
  const queue = [start];
  for (const cell of queue) {
    if (cells[cell] === "G") return moves[cell]!;
    const col = cell % size;
    const near = [col > 0 ? cell - 1 : -1, cell + size, col < size - 1 ? cell + 1 : -1, cell - size];
    for (const next of near) {
      if (moves[next] !== -1 || cells[next] === "H") continue;
      moves[next] = moves[cell]! + 1;
      queue.push(next);
    }
  }
  return -1;
}
