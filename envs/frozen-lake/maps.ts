import { wholeFrom, within } from "../../core/check.ts";
import { drawBoard, toMap } from "./gymnasium-maps.ts";
import type { LakeMap } from "./lake.ts";
import { Pcg64 } from "./numpy/pcg64.ts";

/**
 * The depth limit of {@link drawRllmMap}. 5 gives the maps that rLLM plays: it builds its environments with 8,
 * but a reset builds the map anew with the default of 5. 8 gives the maps as its example script writes them.
 */
export type RllmMapLimit = 5 | 8;

/** What a rLLM map is drawn from. */
export interface RllmMapOptions {
  /** A whole number from 0 to 2^53 - 1. */
  readonly seed: number;
  /** Side of the board, from 2. */
  readonly size: number;
  /** Probability of frozen ice, 0 to 1. */
  readonly p: number;
  /** @default 5 */
  readonly limit?: RllmMapLimit;
}

/**
 * The map that rLLM's FrozenLake makes of a row (seed, size, p): boards are drawn until {@link searchFinds} the
 * goal. Source: rLLM v0.2.1 frozenlake.py.
 * @throws {InputError} on an option out of bounds.
 */
export function drawRllmMap(options: RllmMapOptions): LakeMap {
  const { seed, size, p, limit = 5 } = options;
  wholeFrom(2, "drawRllmMap", "size", size);
  within(0, 1, "drawRllmMap", "p", p);
  wholeFrom(0, "drawRllmMap", "limit", limit);
  const rng = Pcg64.seeded(seed);
  for (;;) {
    const board = drawPlacedBoard(rng, size, p);
    if (searchFinds(board, size, limit)) return toMap(board.cells, size);
  }
}

/** A square board, its cells in row-major order, with one S and one G on it. */
export interface PlacedBoard {
  readonly cells: readonly string[];
  readonly start: number;
}

/** A random board, then start and goal uniform over all cells until they differ; they overwrite holes. */
export function drawPlacedBoard(rng: Pcg64, size: number, p: number): PlacedBoard {
  const cells = drawBoard(rng, size, p);
  let start = 0;
  let goal = 0;
  do {
    start = rng.integers(0, size) * size + rng.integers(0, size);
    goal = rng.integers(0, size) * size + rng.integers(0, size);
  } while (start === goal);
  cells[start] = "S";
  cells[goal] = "G";
  return { cells, start };
}

/**
 * rLLM's depth-limited depth-first search, whose order decides which maps there are: a cell is marked when it
 * is popped, with the depth of the path that pushed it, so that a long way can close a cell to a short one and
 * some boards with a way are refused. None without a way is accepted. Ways have up to `limit` + 1 moves.
 */
function searchFinds({ cells, start }: PlacedBoard, size: number, limit: number): boolean {
  const seen = new Uint8Array(cells.length);
  const open = [{ cell: start, depth: 0 }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { cell, depth } = at;
    if (depth > limit || seen[cell] === 1) continue;
    seen[cell] = 1;
    const col = cell % size;
    const near = [cell + size, col < size - 1 ? cell + 1 : -1, cell - size, col > 0 ? cell - 1 : -1];
    for (const next of near) {
      const letter = cells[next];
      if (letter === "G") return true;
      if (letter !== undefined && letter !== "H") open.push({ cell: next, depth: depth + 1 });
    }
  }
  return false;
}
