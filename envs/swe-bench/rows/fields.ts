import { InputError } from "../../../core/errors.ts";

/** One row as its file holds it. Null and missing are the same. */
export type Row = Readonly<Record<string, unknown>>;

/** A value for a message: one line, cut after 60 characters. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  const whole =
    typeof value === "object" ? JSON.stringify(value, (_, inner) => jsonable(inner)) : plain(value);
  return whole.length > 60 ? `${whole.slice(0, 57)}...` : whole;
}

function plain(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function jsonable(value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** The text of a field that a row must have; it may be empty. @throws {InputError} naming the field. */
export function text(row: Row, field: string): string {
  const value = row[field];
  if (typeof value === "string") return value;
  throw new InputError(`${field}: expected text, got ${shown(value)}`);
}

/** The text of a field, or undefined where the row has none or an empty one. @throws {InputError} if it is no text. */
export function textIfAny(row: Row, field: string): string | undefined {
  const value = row[field];
  if (value === undefined || value === null || value === "") return undefined;
  return text(row, field);
}

/** The text of a field that must not be empty. @throws {InputError} naming the field. */
export function filled(row: Row, field: string): string {
  const value = textIfAny(row, field);
  if (value !== undefined) return value;
  throw new InputError(`${field}: expected text that is not empty, got ${shown(row[field])}`);
}

/** A list of test ids, as a list or as JSON text of one; undefined if the row has none. @throws {InputError} */
export function testIds(row: Row, field: string): readonly string[] | undefined {
  const value = row[field];
  if (value === undefined || value === null) return undefined;
  const list = typeof value === "string" ? parsed(value, field) : value;
  if (!Array.isArray(list))
    throw new InputError(`${field}: expected a list of test ids, got ${shown(value)}`);
  for (const [at, id] of list.entries()) {
    if (typeof id !== "string" || id === "")
      throw new InputError(
        `${field}: expected test id ${at + 1} of ${list.length} to be text, got ${shown(id)}`,
      );
  }
  return list as readonly string[];
}

/** A field that holds an object, as such or as JSON text; undefined if the row has none. @throws {InputError} */
export function object(row: Row, field: string): Row | undefined {
  const value = row[field];
  if (value === undefined || value === null || value === "") return undefined;
  const found = typeof value === "string" ? parsed(value, field) : value;
  if (isRow(found)) return found;
  throw new InputError(`${field}: expected an object, got ${shown(value)}`);
}

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(value: string, field: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new InputError(`${field}: expected JSON, got text that is none: ${shown(value)}`);
  }
}
