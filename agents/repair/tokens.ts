/** A piece of Python source. White space is between tokens; a backslash that joins lines is white space too. */
export interface Token {
  readonly kind: "name" | "number" | "string" | "operator" | "comment";
  readonly text: string;
  /** Offset of the first character. */
  readonly start: number;
  /** Offset after the last one. */
  readonly end: number;
  /** Line of the first character, from 0. */
  readonly line: number;
  /** Open brackets around it; of a bracket, those around the pair. */
  readonly depth: number;
}

const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if
   import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);

export function isKeyword(text: string): boolean {
  return KEYWORDS.has(text);
}

const STRING_START = /(?:[rRbBfFuU]{0,2})('''|"""|'|")/y;
const NUMBER = /(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?)/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const OPERATOR =
  /\*\*=|\/\/=|>>=|<<=|\.\.\.|!=|->|:=|==|<=|>=|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|@=|\*\*|\/\/|<<|>>|[^\s\w]/y;

/** Splits Python source that starts outside of a string. A string that does not end goes on to the end of the text. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = 0;
  let depth = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  const push = (kind: Token["kind"], end: number): void => {
    const text = source.slice(at, end);
    if (/^[)\]}]$/.test(text)) depth = Math.max(0, depth - 1);
    tokens.push({ kind, text, start: at, end, line, depth });
    if (/^[([{]$/.test(text)) depth++;
    for (const char of text) if (char === "\n") line++;
    at = end;
  };
  while (at < source.length) {
    const char = source[at]!;
    if (char === "\n") line++;
    if (/\s/.test(char) || (char === "\\" && source[at + 1] === "\n")) {
      at++;
      continue;
    }
    if (char === "#") {
      const end = source.indexOf("\n", at);
      push("comment", end < 0 ? source.length : end);
      continue;
    }
    const string = match(STRING_START);
    if (string) {
      push("string", endOfString(source, at + string[0].length, string[1]!, string[0]));
      continue;
    }
    const number = match(NUMBER);
    if (number) {
      push("number", at + number[0].length);
      continue;
    }
    const name = match(NAME);
    if (name) push("name", at + name[0].length);
    else push("operator", at + (match(OPERATOR)?.[0].length ?? 1));
  }
  return tokens;
}

function endOfString(source: string, from: number, quote: string, opening: string): number {
  let at = from;
  while (at < source.length) {
    // A backslash keeps the next character from ending the string, in raw strings too.
    if (source[at] === "\\") at += 2;
    else if (source.startsWith(quote, at)) return at + quote.length;
    else if (quote.length === 1 && source[at] === "\n") return at;
    else at++;
  }
  return Math.max(Math.min(at, source.length), from - opening.length + 1);
}
