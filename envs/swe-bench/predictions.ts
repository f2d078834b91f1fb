import { rename, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { InputError } from "../../core/errors.ts";
import type { SweInstance } from "./instance.ts";
import { filled, type Row, shown } from "./rows/fields.ts";
import { placeOf, rawRows, rowOf } from "./rows/raw.ts";
import { reversePatch } from "./rows/reverse.ts";

export interface Prediction {
  readonly modelName: string;
  /** A unified diff; "" or null is no patch, and is not run. */
  readonly patch: string | null;
}

const PART = "predictions";

/**
 * Predictions by id, in the order of the file, as the SWE-bench harness takes them: one object a line (.jsonl), a
 * list (.json) or an object by id (.json; SWE-agent's and mini-swe-agent's preds.json), each with `instance_id`,
 * `model_name_or_path` and `model_patch`. The word `gold` stands for the patches of the data set, `empty` for no
 * patch on every instance.
 * @param known every id of the data set, also of instances that are not asked for now.
 * @throws {InputError} naming file and line of a bad prediction, and ids that are not in the data set or come twice.
 */
export async function readPredictions(
  file: string,
  known: ReadonlySet<string>,
  instances: readonly SweInstance[],
): Promise<ReadonlyMap<string, Prediction>> {
  if (file === "gold" || file === "empty") return ofDataset(file, instances);
  const found = new Map<string, Prediction>();
  const strange: string[] = [];
  for await (const raw of rawRows(PART, file)) {
    try {
      const row = rowOf(raw);
      const id = filled(row, "instance_id");
      if (found.has(id)) throw new InputError(`instance_id: ${id} is here for the second time; keep one`);
      if (!known.has(id)) strange.push(id);
      found.set(id, { modelName: modelName(row), patch: patchOf(row) });
    } catch (error) {
      if (error instanceof InputError)
        throw new InputError(`${PART}: ${placeOf(file, raw)}: ${error.message}`);
      throw error;
    }
  }
  if (strange.length === 0) return found;
  const more = strange.length > 10 ? ` and ${strange.length - 10} more` : "";
  throw new InputError(
    `${PART}: ${basename(file)} has ids that are not in the data set: ${strange.slice(0, 10).join(", ")}${more}`,
  );
}

function ofDataset(
  word: "gold" | "empty",
  instances: readonly SweInstance[],
): ReadonlyMap<string, Prediction> {
  return new Map(
    instances.map(({ id, hidden }) => {
      const gold = hidden.goldReversed ? reversePatch(hidden.goldPatch) : hidden.goldPatch;
      return [id, { modelName: word, patch: word === "gold" ? gold : "" }];
    }),
  );
}

/** It names a folder of logs, with `/` as `__`. */
function modelName(row: Row): string {
  const name = filled(row, "model_name_or_path");
  if (name !== "." && name !== ".." && !/[\0\n]/.test(name)) return name;
  throw new InputError(`model_name_or_path: expected a name that a folder can have, got ${shown(name)}`);
}

function patchOf(row: Row): string | null {
  const patch = row.model_patch;
  if (typeof patch === "string" || patch === null) return patch;
  throw new InputError(`model_patch: expected text, or null for no patch, got ${shown(patch)}`);
}

/**
 * Writes predictions so that no reader sees half of them: by the name of the file, .jsonl as one object a line, or
 * .json as mini-swe-agent's preds.json, byte for byte (Python's `json.dumps` with `indent=2`).
 * @throws {InputError} if the name ends otherwise, or a model's name cannot name a folder.
 */
export async function writePredictions(
  file: string,
  predictions: ReadonlyMap<string, Prediction>,
): Promise<void> {
  const rows = [...predictions].map(([id, { modelName: name, patch }]) => ({
    model_name_or_path: name,
    instance_id: id,
    model_patch: patch,
  }));
  for (const row of rows) modelName(row);
  await writeFile(`${file}.part`, textOf(file, rows));
  await rename(`${file}.part`, file);
}

function textOf(file: string, rows: readonly { readonly instance_id: string }[]): string {
  if (/\.jsonl$/i.test(file)) return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  if (!/\.json$/i.test(file))
    throw new InputError(`${PART}: expected the name of a .jsonl or .json file, got ${file}`);
  const byId = Object.fromEntries(rows.map((row) => [row.instance_id, row]));
  return ascii(JSON.stringify(byId, null, 2));
}

/** JSON with everything beyond ASCII escaped, as Python's `json.dumps` writes it. */
function ascii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
