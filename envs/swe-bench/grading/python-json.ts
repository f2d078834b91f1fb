import { InputError } from "../../../core/errors.ts";
import type { Json } from "../../../core/json.ts";

/**
 * `json.dumps(value, indent=4)`: four spaces, keys in their order, all but printable ASCII escaped.
 *
 * @throws {InputError} on a number that is no safe integer: Python writes those in its own way.
 */
export function pythonJson(value: Json, indent = ""): string {
  const inner = `${indent}    `;
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") {
    if (Number.isSafeInteger(value)) return String(value);
    throw new InputError(`grading: a report holds whole numbers only, got ${value}`);
  }
  if (value === null || typeof value === "boolean") return String(value);
  const items = isArray(value)
    ? value.map((item) => pythonJson(item, inner))
    : Object.entries(value).map(([key, item]) => `${quoted(key)}: ${pythonJson(item, inner)}`);
  const [open, close] = isArray(value) ? "[]" : "{}";
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
}

/** Array.isArray does not narrow a readonly array out of a union. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
