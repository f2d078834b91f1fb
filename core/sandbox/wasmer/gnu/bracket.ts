import { GnuError } from "./call.ts";

/** What is in a class such as `[:alpha:]`, as JavaScript has it within brackets. */
const CLASSES: Readonly<Record<string, string>> = {
  alpha: "\\p{L}\\p{Nl}",
  digit: "0-9",
  alnum: "\\p{L}\\p{N}",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: " \\t-\\r\\u1680\\u2000-\\u2006\\u2008-\\u200a\\u2028\\u2029\\u205f\\u3000",
  blank: " \\t",
  punct: "\\p{P}\\p{S}",
  print: "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ",
  graph: "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}",
  cntrl: "\\p{Cc}",
  xdigit: "0-9A-Fa-f",
};

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\\n",
  t: "\\t",
  r: "\\r",
  f: "\\f",
  v: "\\v",
  a: "\\x07",
};

/**
 * A bracket expression, from behind its `[` on. A backslash in it is itself, apart from sed's `\n` and its like.
 * @throws {GnuError} if it has no end, or a class or range that there is not
 */
export function classOf(
  text: string,
  escapes: boolean,
): { readonly source: string; readonly length: number } {
  let at = 0;
  const isNegated = text[at] === "^";
  if (isNegated) at++;
  const start = at;
  let inner = "";
  for (;;) {
    if (at >= text.length) throw new GnuError("Unmatched [, [^, [:, [., or [=");
    if (text[at] === "]" && at > start) break;
    const [, kind, name = ""] = /^\[([:.=])(.*?)\1\]/s.exec(text.slice(at)) ?? [];
    if (kind === ":") {
      if (CLASSES[name] === undefined) throw new GnuError("Invalid character class name");
      inner += CLASSES[name];
      at += name.length + 4;
      continue;
    }
    const from = charAt(text, at, escapes);
    at += from.length;
    if (text[at] === "-" && text[at + 1] !== "]" && at + 1 < text.length) {
      const to = charAt(text, at + 1, escapes);
      at += 1 + to.length;
      if (to.code < from.code) throw new GnuError("Invalid range end");
      inner += `${written(from.code)}-${written(to.code)}`;
    } else inner += written(from.code);
  }
  return { source: `[${isNegated ? "^" : ""}${inner}]`, length: at + 1 };
}

function charAt(
  text: string,
  at: number,
  escapes: boolean,
): { readonly code: number; readonly length: number } {
  const [all, , name = ""] = /^\[([.=])(.+?)\1\]/s.exec(text.slice(at)) ?? [];
  if (all !== undefined) {
    if ([...name].length !== 1) throw new GnuError("Invalid collation character");
    return { code: name.codePointAt(0)!, length: all.length };
  }
  const next = text[at + 1];
  if (escapes && text[at] === "\\" && next !== undefined && ESCAPES[next] !== undefined) {
    return { code: "\x07\f\n\r\t\v".charCodeAt("afnrtv".indexOf(next)), length: 2 };
  }
  const code = text.codePointAt(at)!;
  return { code, length: code > 0xffff ? 2 : 1 };
}

function written(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
