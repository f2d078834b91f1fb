/**
 * Text as Python sees it. The official parsers are Python, whose white space, digits and words are Unicode's,
 * whose `.` stops at "\n" only and whose lines end nowhere else; JavaScript differs in each.
 */

const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const WORD = "\\p{L}\\p{N}_";

const ESCAPES: Readonly<Record<string, string>> = {
  s: `[${SPACE}]`,
  S: `[^${SPACE}]`,
  d: "[\\p{Nd}]",
  w: `[${WORD}]`,
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
};

/**
 * A regular expression in Python's meaning: `\s \S \d \w \b . ^ $` are translated, all else is JavaScript's
 * `v` syntax. With `m`, `^` and `$` hold at every "\n". With `g`, for `matchAll` and `replace`.
 */
export function pattern(source: string, flags: "" | "g" | "m" | "gm" = ""): RegExp {
  const multiline = flags.includes("m");
  let [inClass, translated] = [false, ""];
  for (let at = 0; at < source.length; at++) {
    const char = source[at]!;
    if (char === "\\") {
      const escaped = source[++at]!;
      translated += ESCAPES[escaped] ?? `\\${escaped}`;
    } else if (inClass) {
      inClass = char !== "]";
      translated += char;
    } else if (char === "[") {
      inClass = true;
      translated += source[at + 1] === "^" ? "[^" : "[";
      if (source[at + 1] === "^") at++;
    } else if (char === ".") translated += "[^\\n]";
    else if (char === "^") translated += multiline ? "(?<![^\\n])" : "^";
    else if (char === "$") translated += multiline ? "(?![^\\n])" : "(?=\\n?$)";
    else translated += char;
  }
  return new RegExp(translated, flags.includes("g") ? "gv" : "v");
}

const WORDS = pattern("\\S+", "g");
const LEADING = pattern("^\\s+");
const TRAILING = new RegExp(`[${SPACE}]`, "v");

/** `str.split()`: the words between runs of white space. */
export function words(text: string): string[] {
  return text.match(WORDS) ?? [];
}

/** `str.lstrip()` */
export function stripStart(text: string): string {
  return text.replace(LEADING, "");
}

/** `str.rstrip()` */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end > 0 && TRAILING.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** `str.strip()` */
export function strip(text: string): string {
  return stripEnd(stripStart(text));
}

/** `text.split(mark, 1)[0]`: what stands before the first `mark`, all of it if there is none. */
export function before(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/** How `sorted` orders strings: by code point, not by UTF-16 unit. */
export function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = left[at]!.codePointAt(0)! - right[at]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
