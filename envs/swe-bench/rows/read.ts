import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { oneOf, wholeFrom } from "../../../core/check.ts";
import { InputError, messageOf } from "../../../core/errors.ts";
import { canonicalJson, sha256 } from "../../../core/json.ts";
import type { SweFamily, SweInstance } from "../instance.ts";
import { FAMILIES } from "./family.ts";
import { isRow } from "./fields.ts";
import { toInstance } from "./normalise.ts";
import { placeOf, type RawRow, rawRows, rowOf } from "./raw.ts";

export interface ReadOptions {
  /**
   * Of a folder: the files named after this split (`test.jsonl`, `test-00000-of-00002.parquet`). Of rows with a
   * `split` field: those that have this one. @default all rows
   */
  readonly split?: string;
  /** What the rows are. @default what their fields tell, row by row */
  readonly family?: SweFamily;
  /** The most instances to load, from 1 up. @default all */
  readonly limit?: number;
}

export interface RefusedRow {
  /** The line of a JSONL file, else the number of the row; from 1. */
  readonly line: number;
  readonly id?: string;
  /** File, row and field, what was expected and what was got. */
  readonly message: string;
}

export interface ReadResult {
  readonly instances: readonly SweInstance[];
  readonly refused: readonly RefusedRow[];
}

const PART = "dataset";

/**
 * The instances of a data set: a .parquet, .json or .jsonl file as published, or a folder of such files. A bad row
 * is refused and the others load; of rows with the same id the first is kept.
 * @throws {InputError} if a file cannot be read or an option is wrong.
 */
export async function readInstances(path: string, options: ReadOptions = {}): Promise<ReadResult> {
  const family = options.family === undefined ? undefined : oneOf(FAMILIES, PART, "family", options.family);
  const limit = options.limit === undefined ? Infinity : wholeFrom(1, PART, "limit", options.limit);
  const found = new Map<string, SweInstance>();
  const places = new Map<string, string>();
  const refused: RefusedRow[] = [];
  for (const file of await filesOf(path, options.split)) {
    for await (const raw of rawRows(PART, file)) {
      const place = placeOf(file, raw);
      const id = idOf(raw);
      try {
        const row = rowOf(raw);
        if (options.split !== undefined && typeof row.split === "string" && row.split !== options.split)
          continue;
        const instance = toInstance(row, family);
        const first = places.get(instance.id);
        if (first !== undefined) throw new InputError(`instance_id: this id is in ${first} already`);
        found.set(instance.id, instance);
        places.set(instance.id, place);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        const shownId = id === undefined ? "" : ` (${id})`;
        const message = `${PART}: ${place}${shownId}: ${error.message}`;
        refused.push({ line: raw.line, ...(id === undefined ? {} : { id }), message });
      }
      if (found.size >= limit) return { instances: [...found.values()], refused };
    }
  }
  return { instances: [...found.values()], refused };
}

/** SHA-256 of the instances in their order: equal data, equal digest, whatever file they came from. */
export function instancesDigest(instances: readonly SweInstance[]): string {
  return sha256(canonicalJson(instances));
}

function idOf(raw: RawRow): string | undefined {
  if ("problem" in raw || !isRow(raw.value)) return raw.key;
  const id = raw.value.instance_id ?? raw.key;
  return typeof id === "string" ? id : undefined;
}

async function filesOf(path: string, split: string | undefined): Promise<readonly string[]> {
  const names = await namesIn(path);
  if (names === undefined) return [path];
  const data = names.filter((name) => /\.(parquet|json|jsonl)$/i.test(name)).sort();
  const wanted = data.filter((name) => split === undefined || splitOf(name) === split);
  const splits = [...new Set(wanted.map(splitOf))];
  if (wanted.length === 0)
    throw new InputError(
      `${PART}: expected files of ${split === undefined ? "rows" : `split ${split}`} in ${path}, found ${data.join(", ") || "none"}`,
    );
  if (splits.length > 1)
    throw new InputError(
      `${PART}: ${path} holds the splits ${splits.join(", ")}; choose one with --split, or --set split=… of a rollout`,
    );
  return wanted.map((name) => join(path, name));
}

/** Undefined if the path is no folder. */
async function namesIn(path: string): Promise<readonly string[] | undefined> {
  try {
    return (await stat(path)).isDirectory() ? await readdir(path) : undefined;
  } catch (error) {
    throw new InputError(`${PART}: cannot read ${path} (${messageOf(error)})`);
  }
}

/** `test` of `test.jsonl` and of `test-00000-of-00002.parquet`. */
function splitOf(name: string): string {
  return name.replace(/(-\d+-of-\d+[^.]*)?\.\w+$/, "");
}
