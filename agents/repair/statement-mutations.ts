import { type Code, edited, lineEnd, type Mutation, startsLine, textOf } from "./code.ts";

/** Mutations of whole statements: conditions, returns, guards, the flow of control. */
export function* statementMutations(code: Code): Generator<Mutation | undefined> {
  const { tokens } = code;
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "name") continue;
    if (!startsLine(code, at)) continue;
    if (/^(if|elif|while)$/.test(token.text)) yield* conditionMutations(code, at);
    if (token.text === "return") yield* returnMutations(code, at);
    const replace = (text: string): Mutation | undefined =>
      edited(code, "flow", { start: token.start, end: token.end, text });
    if (token.text === "break") for (const text of ["continue", "pass"]) yield replace(text);
    if (token.text === "continue") for (const text of ["break", "pass"]) yield replace(text);
    if (token.text === "elif") yield replace("if");
    if (token.text === "except") yield* exceptMutations(code, at);
    if (token.text === "def") yield* defaultMutations(code, at);
  }
  yield* orMutations(code);
  yield* dedents(code);
  yield* guards(code);
}

function* conditionMutations(code: Code, at: number): Generator<Mutation | undefined> {
  const { tokens } = code;
  const first = tokens[at + 1];
  const colon = colonOf(code, at);
  if (first === undefined || colon === undefined || colon <= at + 1) return;
  const text = textOf(code, at + 1, colon - 1);
  const span = { start: first.start, end: tokens[colon - 1]!.end };
  const put = (kind: string, other: string): Mutation | undefined =>
    edited(code, kind, { ...span, text: other });
  if (first.text !== "not") yield put("negate", `not (${text})`);
  // 0 and "" are values, None is none.
  const truth = /^(not )?([\w.]+)$/.exec(text);
  if (truth) yield put("none", `${truth[2]} is ${truth[1] ? "" : "not "}None`);
  const none = /^([\w.]+) is (not )?None$/.exec(text);
  if (none) yield put("none", `${none[2] ? "" : "not "}${none[1]}`);
  for (let middle = at + 2; middle < colon - 1; middle++) {
    if (tokens[middle]!.depth > tokens[at]!.depth || !/^(and|or)$/.test(tokens[middle]!.text)) continue;
    yield put("drop", textOf(code, at + 1, middle - 1));
    yield put("drop", textOf(code, middle + 1, colon - 1));
  }
}

function* returnMutations(code: Code, at: number): Generator<Mutation | undefined> {
  const { tokens } = code;
  const end = lineEnd(code, at);
  if (end === at) return;
  const text = textOf(code, at + 1, end);
  const span = { start: tokens[at + 1]!.start, end: tokens[end]!.end };
  const values = /^(True|False|None|\[\]|\{\})$/.test(text)
    ? ["None", "[]", "True", "False"]
    : [`(${text}) + 1`, `(${text}) - 1`, `-(${text})`, `not (${text})`, "None"];
  for (const value of values) yield edited(code, "return", { ...span, text: value });
}

function* exceptMutations(code: Code, at: number): Generator<Mutation | undefined> {
  const end = colonOf(code, at);
  const next = code.tokens[at + 1];
  if (end === undefined || end <= at + 1 || next === undefined) return;
  const last = code.tokens.findIndex(({ text }, index) => index > at && (text === "as" || index === end));
  const { start } = next;
  yield edited(code, "except", { start, end: code.tokens[last - 1]!.end, text: "Exception" });
}

/** `def f(x=[])` shares one list between all calls. */
function* defaultMutations(code: Code, at: number): Generator<Mutation | undefined> {
  const { tokens, lines } = code;
  const line = tokens[at]!.line;
  const indent = indentOf(lines[line]!);
  if (!/:\s*$/.test(lines[line]!)) return;
  const body = lines.slice(line + 1).find((text) => text.trim() !== "");
  if (body === undefined) return;
  for (const match of lines[line]!.matchAll(/(\w+)\s*=\s*(\[\]|\{\}|set\(\))/g)) {
    const header = lines[line]!.replace(match[0], `${match[1]}=None`);
    const inner = indentOf(body).length > indent.length ? indentOf(body) : `${indent}    `;
    const after = `${header}\n${inner}${match[1]} = ${match[2]} if ${match[1]} is None else ${match[1]}`;
    yield { kind: "default", line, after };
  }
}

/** `x or y` where x may well be 0 or empty. */
function* orMutations(code: Code): Generator<Mutation | undefined> {
  const { tokens } = code;
  for (const [at, { text, start, end }] of tokens.entries()) {
    if (text !== "or" || tokens[at - 1]?.kind !== "name") continue;
    let from = at - 1;
    while (tokens[from - 1]?.text === "." && tokens[from - 2]?.kind === "name") from -= 2;
    if (!/^(=|return|\(|,)$/.test(tokens[from - 1]?.text ?? "")) continue;
    const value = textOf(code, from, at - 1);
    yield edited(code, "none", { start, end, text: `if ${value} is not None else` });
  }
}

/** The last statement of a block, one level further out: a `return` that was inside of the loop. */
function* dedents(code: Code): Generator<Mutation | undefined> {
  const { tokens, lines } = code;
  for (const [at, token] of tokens.entries()) {
    if (!startsLine(code, at)) continue;
    const before = tokens[at - 1];
    const end = lineEnd(code, at);
    const next = tokens[end + 1];
    const own = indentOf(lines[token.line]!);
    if (before === undefined || before.text === ":" || tokens[end]!.line !== token.line) continue;
    if (next !== undefined && indentOf(lines[next.line]!).length >= own.length) continue;
    if (next !== undefined && /^(elif|else|except|finally)$/.test(next.text)) continue;
    const outer = lines
      .slice(0, token.line)
      .map(indentOf)
      .findLast((indent, line) => lines[line]!.trim() !== "" && indent.length < own.length);
    if (outer === undefined || outer.length === 0) continue;
    // Of a function's own body nothing can move out.
    const isOuterDef = lines
      .slice(0, token.line)
      .findLast((text) => text.trim() !== "" && indentOf(text).length === outer.length);
    if (/^\s*(async\s+)?(def|class)\b/.test(isOuterDef ?? "")) continue;
    yield { kind: "flow", line: token.line, after: outer + lines[token.line]!.trimStart() };
  }
}

const GUARDS = ["None", "0", "[]", "False", "True"];

/** A check of a parameter before the first statement of the function. */
function* guards(code: Code): Generator<Mutation | undefined> {
  const { tokens, lines } = code;
  const def = tokens.findIndex(({ kind, text }, at) => kind === "name" && text === "def" && isDef(code, at));
  const colon = def < 0 ? undefined : colonOf(code, def);
  if (colon === undefined) return;
  let first = colon + 1;
  if (tokens[first]?.kind === "string") first = lineEnd(code, first) + 1;
  const token = tokens[first];
  if (token === undefined || !startsLine(code, first)) return;
  const indent = indentOf(lines[token.line]!);
  for (const name of code.parameters) {
    if (name === "self" || name === "cls") continue;
    for (const test of [`not ${name}`, `${name} is None`]) {
      for (const value of [name, ...GUARDS]) {
        const guard = `${indent}if ${test}:\n${indent}    return ${value}\n`;
        yield { kind: "guard", line: token.line, after: guard + lines[token.line]! };
      }
    }
  }
}

function isDef(code: Code, at: number): boolean {
  return startsLine(code, at) || (code.tokens[at - 1]?.text === "async" && startsLine(code, at - 1));
}

/** The colon that ends a compound statement's first part. */
function colonOf(code: Code, at: number): number | undefined {
  let lambdas = 0;
  for (let index = at; index <= lineEnd(code, at); index++) {
    const token = code.tokens[index]!;
    if (token.depth > code.tokens[at]!.depth) continue;
    if (token.text === "lambda") lambdas++;
    if (token.text === ":" && lambdas-- === 0) return index;
  }
  return undefined;
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)![0];
}
