import { type Code, edited, endsValue, type Mutation } from "./code.ts";
import type { Token } from "./tokens.ts";

/** The most likely one first: the bound itself, in or out. */
const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">"],
  "<=": ["<", ">="],
  ">": [">=", "<"],
  ">=": [">", "<="],
  "==": ["!=", "<=", ">="],
  "!=": ["=="],
};

const ARITHMETIC: Readonly<Record<string, readonly string[]>> = {
  "+": ["-"],
  "-": ["+"],
  "*": ["/", "**", "//"],
  "/": ["*", "//"],
  "//": ["/", "%"],
  "%": ["//"],
  "**": ["*"],
  "&": ["|"],
  "|": ["&"],
  "^": ["|"],
  "<<": [">>"],
  ">>": ["<<"],
};

const ASSIGNMENTS: Readonly<Record<string, readonly string[]>> = {
  "+=": ["-=", "="],
  "-=": ["+=", "="],
  "*=": ["/=", "="],
  "/=": ["*=", "//="],
  "//=": ["/="],
  "%=": ["//="],
  "|=": ["&="],
  "&=": ["|="],
};

/** Functions and methods that are easily taken for one another. */
const TWINS: readonly (readonly string[])[] = [
  ["min", "max"],
  ["any", "all"],
  ["append", "extend"],
  ["lower", "upper"],
  ["startswith", "endswith"],
  ["floor", "ceil"],
  ["lstrip", "rstrip", "strip"],
  ["find", "rfind"],
  ["split", "rsplit"],
  ["partition", "rpartition"],
  ["ljust", "rjust"],
  ["int", "round"],
  ["keys", "values", "items"],
  ["union", "intersection"],
  ["popleft", "pop"],
  ["bisect_left", "bisect_right"],
  ["search", "match", "fullmatch"],
  ["sum", "max"],
  ["tuple", "list"],
];

/** Mutations that put another operator, constant or well-known name in the place of one. */
export function* operatorMutations(code: Code): Generator<Mutation | undefined> {
  const { tokens } = code;
  for (const [at, token] of tokens.entries()) {
    const replace = (kind: string, text: string, last: Token = token): Mutation | undefined =>
      edited(code, kind, { start: token.start, end: last.end, text });
    if (token.kind === "operator" && endsValue(tokens[at - 1])) {
      const [near, ...others] = COMPARISONS[token.text] ?? [];
      if (near !== undefined) yield replace("compare", near);
      for (const other of others) yield replace("flip", other);
      for (const other of ASSIGNMENTS[token.text] ?? []) yield replace("assign", other);
      if (!isSpread(code, at))
        for (const other of ARITHMETIC[token.text] ?? []) yield replace("arithmetic", other);
      if (token.text === "=" && token.depth === 0) {
        for (const other of ["+=", "-="]) yield replace("assign", other);
      }
    } else if (token.text === "-") yield replace("arithmetic", "");
    if (token.kind === "number" && /^\d+$/.test(token.text)) {
      const value = BigInt(token.text);
      for (const other of [value + 1n, value - 1n]) yield replace("constant", signed(other, tokens[at - 1]));
    }
    if (token.kind === "name") {
      yield* wordMutations(code, at, replace);
    }
  }
}

function* wordMutations(
  code: Code,
  at: number,
  replace: (kind: string, text: string, last?: Token) => Mutation | undefined,
): Generator<Mutation | undefined> {
  const { tokens } = code;
  const token = tokens[at]!;
  const next = tokens[at + 1];
  switch (token.text) {
    case "and":
      return yield replace("logic", "or");
    case "or":
      return yield replace("logic", "and");
    case "True":
      return yield replace("constant", "False");
    case "False":
      return yield replace("constant", "True");
    case "in":
      if (endsValue(tokens[at - 1]) && !isLoop(code, at)) yield replace("compare", "not in");
      return;
    case "is":
      if (next?.text === "not") yield replace("compare", "is", next);
      else yield replace("compare", "is not");
      return;
    case "not":
      if (next?.text === "in") yield replace("compare", "in", next);
      else if (tokens[at - 1]?.text !== "is" && next?.line === token.line) {
        yield edited(code, "negate", { start: token.start, end: next.start, text: "" });
      }
      return;
  }
  if (next?.text !== "(" || tokens[at - 1]?.text === "def") return;
  for (const twins of TWINS) {
    if (!twins.includes(token.text)) continue;
    for (const twin of twins) if (twin !== token.text) yield replace("twin", twin);
  }
}

/** `[*a, **b]` and `def f(a, *, b)`: stars that multiply nothing follow no value, except behind `lambda a, *b`. */
function isSpread(code: Code, at: number): boolean {
  return /^[,)]$/.test(code.tokens[at + 1]?.text ?? "") && code.tokens[at]!.text.startsWith("*");
}

/** Whether an `in` belongs to a `for`. */
function isLoop(code: Code, at: number): boolean {
  const { depth } = code.tokens[at]!;
  for (let before = at - 1; before >= 0; before--) {
    const token = code.tokens[before]!;
    if (token.depth < depth) return false;
    if (token.depth === depth && token.text === "for") return true;
    if (token.depth === depth && /^(if|while|elif|return|=|in|and|or|else|:)$/.test(token.text)) return false;
  }
  return false;
}

/** `0 - 1` is in brackets where `x-1` or `x ** -1` would read as something else. */
function signed(value: bigint, before: Token | undefined): string {
  return value < 0n && before?.kind === "operator" && /^[-+*/%]/.test(before.text)
    ? `(${value})`
    : `${value}`;
}
