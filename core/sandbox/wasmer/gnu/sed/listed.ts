import { encode } from "../text.ts";

const LETTERS: Readonly<Record<number, string>> = {
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
  92: "\\\\",
};

/** A line as `l` writes it: without doubt, in lines of so many characters; 0 and 1 are one line. */
export function listed(text: string, width: number): string {
  const parts = [...encode(text)].map(
    (byte) =>
      LETTERS[byte] ??
      (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`),
  );
  let lines = "";
  let line = "";
  for (const part of parts) {
    if (width > 1 && line.length + part.length > width - 1) {
      lines += `${line}\\\n`;
      line = "";
    }
    line += part;
  }
  return `${lines}${line}$\n`;
}
