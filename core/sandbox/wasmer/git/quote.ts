const LETTERS: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** A path as git writes it: in quotes, with octal numbers, if it has more than plain letters, signs and spaces. */
export function quotedPath(path: string, plain = ""): string {
  const bytes = Buffer.from(path).toString("latin1");
  const inside = escaped(bytes);
  return inside === bytes ? plain + path : `"${plain}${inside}"`;
}

function escaped(bytes: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is escaped.
  return bytes.replace(/[\x00-\x1f"\\\x7f-\xff]/g, (letter) => {
    return LETTERS[letter] ?? `\\${letter.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
}

/** Reads a quoted path at the start of a text of bytes. @returns undefined if there is none. */
export function unquoted(text: string): { readonly path: string; readonly length: number } | undefined {
  const [all, inside] = /^"((?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*)"/.exec(text) ?? [];
  if (all === undefined || inside === undefined) return undefined;
  const plain = inside.replace(/\\([0-3][0-7]{2}|.)/g, (whole, given: string) => {
    if (given.length === 3) return String.fromCharCode(Number.parseInt(given, 8));
    return Object.entries(LETTERS).find(([, written]) => written === whole)?.[0] ?? given;
  });
  return { path: Buffer.from(plain, "latin1").toString(), length: all.length };
}
