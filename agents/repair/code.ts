import { isKeyword, type Token, tokensOf } from "./tokens.ts";

/** A stretch of Python source, read once for all kinds of mutations. */
export interface Code {
  readonly lines: readonly string[];
  /** Offset at which each line starts. */
  readonly starts: readonly number[];
  /** Without comments. */
  readonly tokens: readonly Token[];
  /** Index of an opening bracket's token to that of its closing one, and back. */
  readonly pairs: ReadonlyMap<number, number>;
  /** Names of the function: its parameters, and all that it assigns to. */
  readonly parameters: readonly string[];
  readonly names: readonly string[];
}

/** A change of one line, which may become several. */
export interface Mutation {
  readonly kind: string;
  /** From 0, within the stretch. */
  readonly line: number;
  readonly after: string;
}

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function codeOf(
  lines: readonly string[],
  parameters: readonly string[] = [],
  names: readonly string[] = [],
): Code {
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length + 1;
  }
  const tokens = tokensOf(lines.join("\n")).filter(({ kind }) => kind !== "comment");
  const pairs = new Map<number, number>();
  const open: number[] = [];
  tokens.forEach(({ kind, text }, at) => {
    if (kind !== "operator") return;
    if (/^[([{]$/.test(text)) open.push(at);
    else if (/^[)\]}]$/.test(text) && open.length > 0) {
      const from = open.pop()!;
      pairs.set(from, at);
      pairs.set(at, from);
    }
  });
  return { lines, starts, tokens, pairs, parameters, names };
}

/** The mutation that makes `edits`, all within the line of the first; undefined if they are not. */
export function edited(code: Code, kind: string, ...edits: readonly Edit[]): Mutation | undefined {
  const first = edits[0]!;
  const line = code.starts.findLastIndex((start) => start <= first.start);
  const start = code.starts[line]!;
  const before = code.lines[line]!;
  if (edits.some((edit) => edit.start < start || edit.end > start + before.length)) return undefined;
  let after = before;
  for (const edit of [...edits].sort((a, b) => b.start - a.start || b.end - a.end)) {
    after = after.slice(0, edit.start - start) + edit.text + after.slice(edit.end - start);
  }
  return after === before ? undefined : { kind, line, after };
}

/** Whether a value ends with this token, so that an operator after it has two sides. */
export function endsValue(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === "number" || token.kind === "string") return true;
  if (token.kind === "name") return !isKeyword(token.text) || /^(True|False|None)$/.test(token.text);
  return /^[)\]}]$/.test(token.text);
}

/** Index of the last token of the logical line that `at` is in. */
export function lineEnd(code: Code, at: number): number {
  let end = at;
  while (end + 1 < code.tokens.length) {
    const next = code.tokens[end + 1]!;
    if (next.depth === 0 && next.line !== code.tokens[end]!.line && !isClosing(next)) break;
    end++;
  }
  return end;
}

function isClosing({ kind, text }: Token): boolean {
  return kind === "operator" && /^[)\]}]$/.test(text);
}

/** Whether the token is the first of its logical line. */
export function startsLine(code: Code, at: number): boolean {
  const token = code.tokens[at]!;
  const last = code.tokens[at - 1];
  if (token.depth > 0 || isClosing(token)) return false;
  if (last === undefined) return true;
  return last.line !== token.line && !/\\\s*$/.test(code.lines[token.line - 1] ?? "");
}

/** First and last token of each part between the commas of a bracket pair. */
export function partsOf(code: Code, open: number, separator: string): (readonly [number, number])[] {
  const close = code.pairs.get(open);
  if (close === undefined) return [];
  const depth = code.tokens[open]!.depth + 1;
  const parts: [number, number][] = [];
  let from = open + 1;
  for (let at = open + 1; at <= close; at++) {
    const token = code.tokens[at]!;
    if (at === close || (token.depth === depth && token.text === separator && token.kind === "operator")) {
      parts.push([from, at - 1]);
      from = at + 1;
    }
  }
  return parts;
}

/** Text from one token to another, both included. */
export function textOf(code: Code, from: number, to: number): string {
  const start = code.tokens[from]!.start;
  const end = code.tokens[to]!.end;
  const line = code.starts.findLastIndex((at) => at <= start);
  return code.lines
    .slice(line)
    .join("\n")
    .slice(start - code.starts[line]!, end - code.starts[line]!);
}

export function isCall(code: Code, open: number): boolean {
  const callee = code.tokens[open - 1];
  if (code.tokens[open]!.text !== "(" || !endsValue(callee)) return false;
  return code.tokens[open - 2]?.text !== "def" && code.tokens[open - 2]?.text !== "class";
}

export function isSubscript(code: Code, open: number): boolean {
  return code.tokens[open]!.text === "[" && endsValue(code.tokens[open - 1]);
}
