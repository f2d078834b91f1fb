import { InputError } from "../../core/errors.ts";

/** Rows of equal length of the letters S (start), F (frozen), H (hole) and G (goal). */
export type LakeMap = readonly string[];

/** What a cell is; a start is a frozen cell. */
export const FROZEN = 0;
export const HOLE = 1;
export const GOAL = 2;

/** The four moves in Gymnasium's order, which is their native code: 0 left, 1 down, 2 right, 3 up. */
export const MOVES = ["left", "down", "right", "up"] as const;

/** A map made ready to play. Cells are numbered row * cols + col. Shared: never change it. */
export interface Lake {
  /** The rows, frozen; every view and snapshot of this lake holds this very array. */
  readonly map: LakeMap;
  readonly rows: number;
  readonly cols: number;
  /** {@link FROZEN}, {@link HOLE} or {@link GOAL} of each cell. */
  readonly kinds: Uint8Array;
  /** Where native move `m` leads from `cell`, at `cell * 4 + m`. A move out of the grid stays. */
  readonly next: Int32Array;
  /** All S cells, ascending; at least one. */
  readonly starts: readonly number[];
  /** All G cells, ascending; at least one. */
  readonly goals: readonly number[];
}

const compiled = new WeakMap<LakeMap, Lake>();

/**
 * The lake of a map. Work is done once per array: the lake's own frozen `map` is found at the cost of a look-up,
 * another array is compared row by row with what it was when it was compiled.
 * @throws {InputError} naming `part` and the row and column that is wrong, both counted from 0.
 */
export function compileLake(map: LakeMap, part = "frozen-lake"): Lake {
  const known = compiled.get(map);
  if (known !== undefined && (known.map === map || sameRows(known.map, map))) return known;
  const lake = readLake(map, part);
  compiled.set(map, lake);
  compiled.set(lake.map, lake);
  return lake;
}

function sameRows(a: LakeMap, b: LakeMap): boolean {
  return a.length === b.length && a.every((row, i) => row === b[i]);
}

function readLake(map: LakeMap, part: string): Lake {
  checkShape(map, part);
  const rows = map.length;
  const cols = map[0]!.length;
  const kinds = new Uint8Array(rows * cols);
  const next = new Int32Array(rows * cols * 4);
  const starts: number[] = [];
  const goals: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const cell = row * cols + col;
      const letter = map[row]![col]!;
      if (letter === "S") starts.push(cell);
      else if (letter === "H") kinds[cell] = HOLE;
      else if (letter === "G") {
        kinds[cell] = GOAL;
        goals.push(cell);
      } else if (letter !== "F") {
        throw new InputError(
          `${part}: \`map\` row ${row} col ${col} is ${JSON.stringify(letter)}, expected S, F, H or G`,
        );
      }
      next[cell * 4] = col > 0 ? cell - 1 : cell;
      next[cell * 4 + 1] = row < rows - 1 ? cell + cols : cell;
      next[cell * 4 + 2] = col < cols - 1 ? cell + 1 : cell;
      next[cell * 4 + 3] = row > 0 ? cell - cols : cell;
    }
  }
  if (starts.length === 0) throw new InputError(`${part}: \`map\` has no start, expected at least one S`);
  if (goals.length === 0) throw new InputError(`${part}: \`map\` has no goal, expected at least one G`);
  return { map: Object.freeze([...map]), rows, cols, kinds, next, starts, goals };
}

function checkShape(map: LakeMap, part: string): void {
  if (!Array.isArray(map) || map.length === 0) {
    throw new InputError(
      `${part}: expected \`map\` to be a list of one row or more, got ${JSON.stringify(map)}`,
    );
  }
  const cols = typeof map[0] === "string" ? map[0].length : 0;
  map.forEach((row: unknown, i) => {
    if (typeof row !== "string" || row.length === 0) {
      throw new InputError(
        `${part}: \`map\` row ${i} is ${JSON.stringify(row)}, expected a text of S, F, H and G`,
      );
    }
    if (row.length !== cols) {
      throw new InputError(
        `${part}: \`map\` row ${i} has ${row.length} cells and row 0 has ${cols}, expected the same`,
      );
    }
  });
}
