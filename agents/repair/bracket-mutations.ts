import { type Code, edited, endsValue, isCall, isSubscript, type Mutation, partsOf, textOf } from "./code.ts";

const ATOM = /^[\w.]+$/;

/** Mutations of calls, indices and slices: bounds off by one, arguments swapped, a missing key. */
export function* bracketMutations(code: Code): Generator<Mutation | undefined> {
  for (const [at, token] of code.tokens.entries()) {
    if (token.kind !== "operator" || !code.pairs.has(at)) continue;
    if (isCall(code, at)) yield* callMutations(code, at);
    else if (isSubscript(code, at)) yield* subscriptMutations(code, at);
  }
  yield* termMutations(code);
}

function* callMutations(code: Code, open: number): Generator<Mutation | undefined> {
  const { tokens, pairs } = code;
  const close = pairs.get(open)!;
  const callee = tokens[open - 1]!.text;
  const parts = partsOf(code, open, ",").filter(([from, to]) => from <= to);
  const texts = parts.map(([from, to]) => textOf(code, from, to));
  for (let at = 0; at + 1 < parts.length; at++) {
    const [left, right] = [texts[at]!, texts[at + 1]!];
    if (/^\*|^\w+\s*=[^=]/.test(left) || /^\*|^\w+\s*=[^=]/.test(right)) continue;
    yield edited(code, "swap", span(code, parts[at]!, right), span(code, parts[at + 1]!, left));
  }
  if (callee === "range" && parts.length > 0) {
    const bound = parts[Math.min(1, parts.length - 1)]!;
    yield* offByOne(code, bound);
    if (parts.length === 1) {
      const start = tokens[parts[0]![0]]!.start;
      yield edited(code, "bound", { start, end: start, text: "1, " });
    } else yield* offByOne(code, parts[0]!);
  }
  const end = tokens[close]!.end;
  if (callee === "len" && !/^[-+]$/.test(tokens[close + 1]?.text ?? "")) {
    for (const text of [" - 1", " + 1"]) yield edited(code, "bound", { start: end, end, text });
  }
  if (callee === "pop" && parts.length === 0) {
    yield edited(code, "bound", { start: tokens[open]!.end, end: tokens[close]!.start, text: "0" });
  }
  if (callee === "sorted" && !texts.some((text) => text.startsWith("reverse"))) {
    const at = tokens[close]!.start;
    yield edited(code, "argument", { start: at, end: at, text: ", reverse=True" });
  }
  // Fewer arguments: a default that is better, `pop(0)` that should be `pop()`.
  if (parts.length > 0) {
    const start = parts.length > 1 ? tokens[parts.at(-2)![1]]!.end : tokens[open]!.end;
    yield edited(code, "argument", { start, end: tokens[close]!.start, text: "" });
  }
}

function* subscriptMutations(code: Code, open: number): Generator<Mutation | undefined> {
  const { tokens, pairs } = code;
  const close = pairs.get(open)!;
  const bounds = partsOf(code, open, ":");
  if (bounds.length > 1) {
    for (const [from, to] of bounds) {
      if (from > to) continue;
      yield* offByOne(code, [from, to]);
      yield edited(code, "bound", span(code, [from, to], ""));
    }
    const [first, second] = bounds;
    if (first![0] > first![1]) {
      const at = tokens[open]!.end;
      yield edited(code, "bound", { start: at, end: at, text: "1" });
    }
    if (second![0] > second![1] && bounds.length === 2) {
      const at = tokens[close]!.start;
      yield edited(code, "bound", { start: at, end: at, text: "-1" });
    }
    return;
  }
  if (open + 1 === close) return;
  const key: readonly [number, number] = [open + 1, close - 1];
  const isString = tokens[open + 1]!.kind === "string";
  if (!isString && partsOf(code, open, ",").length === 1) yield* offByOne(code, key);
  const next = tokens[close + 1]?.text ?? "";
  if (/^([-+*/%&|^@]|\/\/|\*\*|<<|>>)?=$/.test(next) || next === ":" || next === ",") return;
  const text = textOf(code, ...key);
  const whole = { start: tokens[open]!.start, end: tokens[close]!.end };
  for (const get of [`.get(${text})`, `.get(${text}, 0)`]) yield edited(code, "get", { ...whole, text: get });
}

/** `a - b` as `b - a`, and `x + 1` as `x`. */
function* termMutations(code: Code): Generator<Mutation | undefined> {
  const { tokens } = code;
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== "operator" || !/^(-|\+|\/|\/\/|%|\*\*)$/.test(text)) continue;
    const right = atomAfter(code, at);
    if (right === undefined) continue;
    const after = textOf(code, ...right);
    if (/^[-+]$/.test(text) && /^\d+$/.test(after) && endsValue(tokens[at - 1])) {
      const end = tokens[at - 1]!.end;
      yield edited(code, "bound", { start: end, end: tokens[right[1]]!.end, text: "" });
    }
    const left = atomBefore(code, at);
    if (left === undefined || !/^[-/%]|^\*\*/.test(text)) continue;
    yield edited(code, "swap", span(code, left, after), span(code, right, textOf(code, ...left)));
  }
}

/** The name, number or dotted name that ends right before the operator at `at`. */
function atomBefore(code: Code, at: number): readonly [number, number] | undefined {
  let from = at - 1;
  if (!isAtom(code, from)) return undefined;
  while (code.tokens[from - 1]?.text === "." && isAtom(code, from - 2)) from -= 2;
  return code.tokens[from - 1]?.text === "." ? undefined : [from, at - 1];
}

function atomAfter(code: Code, at: number): readonly [number, number] | undefined {
  let to = at + 1;
  if (!isAtom(code, to)) return undefined;
  while (code.tokens[to + 1]?.text === "." && isAtom(code, to + 2)) to += 2;
  return /^[([.]$/.test(code.tokens[to + 1]?.text ?? "") ? undefined : [at + 1, to];
}

function isAtom(code: Code, at: number): boolean {
  const token = code.tokens[at];
  return token !== undefined && (token.kind === "number" || (token.kind === "name" && ATOM.test(token.text)));
}

function* offByOne(code: Code, [from, to]: readonly [number, number]): Generator<Mutation | undefined> {
  const text = textOf(code, from, to);
  // What is only a number is a constant; what ends with one is changed there.
  if (/^-?\d+$|[-+]\s*\d+$/.test(text) || /\b(if|lambda|for|or|and)\b/.test(text)) return;
  const end = code.tokens[to]!.end;
  for (const more of [" - 1", " + 1"]) yield edited(code, "bound", { start: end, end, text: more });
}

function span(code: Code, [from, to]: readonly [number, number], text: string) {
  return { start: code.tokens[from]!.start, end: code.tokens[to]!.end, text };
}
