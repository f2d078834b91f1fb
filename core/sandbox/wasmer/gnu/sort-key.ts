import { GnuError } from "./call.ts";

export interface Ordering {
  readonly kind: "text" | "n" | "g" | "h" | "M" | "V";
  readonly isReversed: boolean;
  readonly skipsBlanks: boolean;
  readonly foldsCase: boolean;
  readonly dictionary: boolean;
  readonly printable: boolean;
}

export interface SortKey {
  readonly ordering: Ordering;
  readonly part: (line: string, separator: string | undefined) => string;
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

/** What the letters of options say. */
export function orderingOf(letters: string): Ordering {
  const has = (letter: string): boolean => letters.includes(letter);
  return {
    kind: (["n", "g", "h", "M", "V"] as const).find(has) ?? "text",
    isReversed: has("r"),
    skipsBlanks: has("b"),
    foldsCase: has("f"),
    dictionary: has("d"),
    printable: has("i"),
  };
}

/** `F[.C][OPTS][,F[.C][OPTS]]`; a key without options has the command's. @throws {GnuError} if it is none */
export function keyOf(text: string, global: Ordering): SortKey {
  const [all, field, char = "1", opts = "", , toField, toChar = "0", toOpts = ""] =
    /^(\d+)(?:\.(\d+))?([bdfghiMnrV]*)(,(\d+)(?:\.(\d+))?([bdfghiMnrV]*))?$/.exec(text) ?? [];
  if (all === undefined || Number(field) === 0 || Number(char) === 0)
    throw new GnuError(`invalid field specification '${text}'`);
  const hasOwn = opts + toOpts !== "";
  const ordering = hasOwn ? orderingOf(opts + toOpts) : global;
  const [skipsAtStart, skipsAtEnd] = hasOwn
    ? [opts.includes("b"), toOpts.includes("b")]
    : [global.skipsBlanks, global.skipsBlanks];
  return {
    ordering,
    part(line, separator) {
      const from = placeOf(line, separator, Number(field), Number(char) - 1, skipsAtStart);
      if (toField === undefined) return line.slice(from);
      const isWhole = Number(toChar) === 0;
      const to = isWhole
        ? endOf(line, separator, Number(toField))
        : placeOf(line, separator, Number(toField), Number(toChar), skipsAtEnd);
      return line.slice(from, Math.max(from, to));
    },
  };
}

/** Where fields begin and end: without a separator a field has the blanks before it. */
function fieldsOf(
  line: string,
  separator: string | undefined,
): { readonly start: number; readonly end: number }[] {
  const fields: { start: number; end: number }[] = [];
  if (separator === undefined) {
    for (const { index, 0: all } of line.matchAll(/[ \t]*[^ \t]+/g))
      fields.push({ start: index, end: index + all.length });
    return fields;
  }
  const char = separator === "\\0" ? "\0" : separator;
  let start = 0;
  for (const part of line.split(char)) {
    fields.push({ start, end: start + part.length });
    start += part.length + 1;
  }
  return fields;
}

function placeOf(
  line: string,
  separator: string | undefined,
  field: number,
  char: number,
  skips: boolean,
): number {
  const found = fieldsOf(line, separator)[field - 1];
  if (!found) return line.length;
  let { start } = found;
  if (skips) while (start < found.end && /[ \t]/.test(line[start]!)) start++;
  return Math.min(start + char, separator === undefined ? line.length : found.end);
}

function endOf(line: string, separator: string | undefined, field: number): number {
  return fieldsOf(line, separator)[field - 1]?.end ?? line.length;
}

export function compared(a: string, b: string, ordering: Ordering): number {
  const [left, right] = [shown(a, ordering), shown(b, ordering)];
  const order = byKind(left, right, ordering.kind);
  return ordering.isReversed ? -order : order;
}

function shown(text: string, { skipsBlanks, foldsCase, dictionary, printable }: Ordering): string {
  let result = skipsBlanks ? text.replace(/^[ \t]+/, "") : text;
  if (dictionary) result = result.replace(/[^0-9A-Za-z \t]/g, "");
  else if (printable) result = result.replace(/[^ -~]/g, "");
  // Of bytes, so that no letter beyond ASCII is changed.
  return foldsCase ? result.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : result;
}

function byKind(a: string, b: string, kind: Ordering["kind"]): number {
  switch (kind) {
    case "text":
      return a < b ? -1 : a > b ? 1 : 0;
    case "n":
      return sign(numberIn(a) - numberIn(b));
    case "g":
      return sign(generalIn(a) - generalIn(b));
    case "h":
      return humanOrder(a, b);
    case "M":
      return sign(monthIn(a) - monthIn(b));
    case "V":
      return versionOrder(a, b);
  }
}

/** The difference of two infinite values is no number: they are equal. */
function sign(difference: number): number {
  return Number.isNaN(difference) ? 0 : Math.sign(difference);
}

function numberIn(text: string): number {
  return Number(/^[ \t]*(-?\d*\.?\d*)/.exec(text)?.[1]?.replace(/^(-?)\.?$/, "0") || 0) || 0;
}

function generalIn(text: string): number {
  const [all] = /^[ \t]*[-+]?(\d+\.?\d*(e[-+]?\d+)?|\.\d+(e[-+]?\d+)?|inf(inity)?)/i.exec(text) ?? [];
  if (all === undefined) return Number.NEGATIVE_INFINITY;
  return /inf/i.test(all) ? (all.includes("-") ? -Number.MAX_VALUE : Number.MAX_VALUE) : Number(all);
}

function humanOrder(a: string, b: string): number {
  const unit = (text: string): number => {
    const [, digits = "", letter = ""] = /^[ \t]*(-?\d*\.?\d*)([KkMGTPEZY]?)/.exec(text) ?? [];
    const value = numberIn(text);
    if (value === 0) return 0;
    return Math.sign(value) * (" KMGTPEZY".indexOf(digits && letter ? letter.toUpperCase() : " ") + 1);
  };
  return sign(unit(a) - unit(b)) || sign(numberIn(a) - numberIn(b));
}

function monthIn(text: string): number {
  return MONTHS.indexOf(
    text
      .replace(/^[ \t]+/, "")
      .slice(0, 3)
      .toUpperCase(),
  );
}

/** Numbers in a name by their values, letters before other characters, `~` before all. */
function versionOrder(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [x = "", y = ""] = [left[at], right[at]];
    const isNumber = at % 2 === 1;
    const order = isNumber ? sign(Number(x) - Number(y)) : letterOrder(x, y);
    if (order !== 0) return order;
  }
  return 0;
}

function partsOf(text: string): string[] {
  return text.split(/(\d+)/);
}

function letterOrder(a: string, b: string): number {
  const rank = (char: string | undefined): number => {
    if (char === undefined) return 0;
    if (char === "~") return -1;
    return /[A-Za-z]/.test(char) ? char.charCodeAt(0) : char.charCodeAt(0) + 256;
  };
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const order = sign(rank(a[at]) - rank(b[at]));
    if (order !== 0) return order;
  }
  return 0;
}
