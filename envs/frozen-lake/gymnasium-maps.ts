import { wholeFrom } from "../../core/check.ts";
import { InputError } from "../../core/errors.ts";
import { GYMNASIUM_KIND } from "./gymnasium-rules.ts";
import type { LakeMap } from "./lake.ts";
import { Pcg64 } from "./numpy/pcg64.ts";

const MOST_BOARDS = 100_000;

/** The two maps that Gymnasium names. Source: Gymnasium 1.x frozen_lake.py. */
export const GYMNASIUM_MAPS: Readonly<Record<"4x4" | "8x8", LakeMap>> = {
  "4x4": Object.freeze(["SFFF", "FHFH", "FFFH", "HFFG"]),
  "8x8": Object.freeze([
    "SFFFFFFF",
    "FFFFFFFF",
    "FFFHFFFF",
    "FFFFFHFF",
    "FFFHFFFF",
    "FHHFFFHF",
    "FHFFHFHF",
    "FFFHFFFG",
  ]),
};

/**
 * Gymnasium's `generate_random_map`: boards of frozen ice with holes are drawn until the goal, bottom right, can
 * be reached from the start, top left. Source: Gymnasium 1.x frozen_lake.py.
 * @param options.size side of the board, from 2.
 * @param options.p probability of frozen ice, above 0; above 1 counts as 1. @default 0.8
 * @param options.seed a whole number from 0 to 2^53 - 1.
 * @throws {InputError} on an option out of bounds, or after 100,000 boards without a way (Gymnasium goes on).
 */
export function generateRandomMap(options: {
  readonly size: number;
  readonly p?: number;
  readonly seed: number;
}): LakeMap {
  const { size, seed } = options;
  wholeFrom(2, "generateRandomMap", "size", size);
  const p = Math.min(1, options.p ?? 0.8);
  if (!(p > 0)) {
    throw new InputError(`generateRandomMap: expected \`p\` to be a number above 0, got ${options.p}`);
  }
  const rng = Pcg64.seeded(seed);
  for (let board = 0; board < MOST_BOARDS; board++) {
    const cells = drawBoard(rng, size, p);
    cells[0] = "S";
    cells[cells.length - 1] = "G";
    if (hasWay(cells, size)) return toMap(cells, size);
  }
  throw new InputError(
    `generateRandomMap: ${MOST_BOARDS} boards of ${GYMNASIUM_KIND} had no way to the goal; raise \`p\` (${p})`,
  );
}

/**
 * numpy's `choice(["F", "H"], (size, size), p=[p, 1 - p])`: one random() per cell, row by row, and frozen ice
 * when it is below p over the sum of both.
 */
export function drawBoard(rng: Pcg64, size: number, p: number): string[] {
  const frozen = p / (p + (1 - p));
  return Array.from({ length: size * size }, () => (rng.random() < frozen ? "F" : "H"));
}

/** The rows of a square board, frozen. */
export function toMap(cells: readonly string[], size: number): LakeMap {
  return Object.freeze(
    Array.from({ length: size }, (_, row) => cells.slice(row * size, (row + 1) * size).join("")),
  );
}

/** Whether the last cell can be reached from the first one. */
function hasWay(cells: readonly string[], size: number): boolean {
  const seen = new Set<number>([0]);
  const open = [0];
  for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
    const col = cell % size;
    const near = [cell + size, cell - size];
    if (col > 0) near.push(cell - 1);
    if (col < size - 1) near.push(cell + 1);
    for (const at of near) {
      const letter = cells[at];
      if (letter === "G") return true;
      if (letter === undefined || letter === "H" || seen.has(at)) continue;
      seen.add(at);
      open.push(at);
    }
  }
  return false;
}
