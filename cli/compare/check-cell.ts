import { InputError } from "../../core/errors.ts";
import type { CellResult } from "./cell.ts";

const TEXTS = ["regime", "method", "setting"] as const;
const POINT = ["envSteps", "success", "mixed", "entropy", "turns"] as const;
const JUDGED = ["envSteps", "success", "pass"] as const;

/**
 * Checks that a value read from a file is a cell with all that the report and the curves need; `where` names it in
 * messages.
 * @throws {InputError} naming the field.
 */
export function checkCell(value: unknown, where: string): CellResult {
  const fail = (field: string, expected: string, got: unknown): never => {
    throw new InputError(
      `${where}: expected \`${field}\` to be ${expected}, got ${JSON.stringify(got)}; ` +
        "the file was damaged after it was written: take the line out, and its cell is run again",
    );
  };
  const cell = value as CellResult;
  for (const field of TEXTS) if (typeof cell?.[field] !== "string") fail(field, "a text", cell?.[field]);
  if (!Number.isInteger(cell.seed)) fail("seed", "a whole number", cell.seed);
  const checkList = <Key extends string>(field: "evaluations" | "curve", keys: readonly Key[]) => {
    const list: unknown = cell[field];
    if (!Array.isArray(list) || list.length === 0) return fail(field, "a list that is not empty", list);
    for (const [at, entry] of list.entries()) {
      for (const key of keys) {
        const got: unknown = entry?.[key];
        if (typeof got !== "number") fail(`${field}[${at}].${key}`, "a number", got);
      }
    }
  };
  checkList("evaluations", JUDGED);
  checkList("curve", POINT);
  return cell;
}
