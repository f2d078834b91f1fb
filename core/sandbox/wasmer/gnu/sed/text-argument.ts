import { escaped } from "../regex.ts";
import type { Reader } from "./reader.ts";

/**
 * The text of `a`, `i` and `c`, up to the first line end that has no backslash before it. On the command's own line
 * blanks before it are left out, unless a backslash says that they belong to it.
 */
export function textOf(reader: Reader): string {
  reader.skip(/[ \t]*/y);
  if (reader.isAtEnd) throw reader.error("expected \\ after `a', `c' or `i'");
  let isEmpty = false;
  if (reader.peek === "\\") {
    reader.take();
    reader.skip(/[ \t]*\n/y);
    isEmpty = reader.isAtEnd;
  }
  if (isEmpty) return "";
  let text = "";
  while (!reader.isAtEnd) {
    const char = reader.take();
    if (char === "\n") break;
    if (char !== "\\") text += char;
    else if (!reader.isAtEnd) {
      const next = reader.take();
      const control = escaped(next, () => reader.ahead);
      text += control ? control.char : next;
      if (control) reader.drop(control.length);
    }
  }
  return `${text}\n`;
}
