import { type Code, edited, endsValue, lineEnd, type Mutation, startsLine, textOf } from "./code.ts";
import { isKeyword } from "./tokens.ts";

/** Mutations that use another variable or attribute of the same function, or a copy of it. */
export function* nameMutations(code: Code): Generator<Mutation | undefined> {
  const { tokens } = code;
  const attributes = attributesOf(code);
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "name" || isKeyword(token.text)) continue;
    const [before, next] = [tokens[at - 1]?.text, tokens[at + 1]?.text];
    if (next === "(" || /^(def|class)$/.test(before ?? "") || /^(self|cls)$/.test(token.text)) continue;
    const replace = (text: string): Mutation | undefined =>
      edited(code, "name", { start: token.start, end: token.end, text });
    if (before === ".") {
      if (tokens[at - 2]?.text !== "self") continue;
      for (const other of attributes) if (other !== token.text) yield replace(other);
    } else if (code.names.includes(token.text) && !(next === "=" && token.depth > 0) && !isHeader(code, at)) {
      for (const other of code.names) if (other !== token.text && other !== "self") yield replace(other);
    }
  }
  yield* copies(code);
}

function attributesOf({ tokens }: Code): string[] {
  const found = tokens.filter(
    ({ kind }, at) =>
      kind === "name" &&
      tokens[at - 1]?.text === "." &&
      tokens[at - 2]?.text === "self" &&
      tokens[at + 1]?.text !== "(",
  );
  return [...new Set(found.map(({ text }) => text))].sort();
}

/** Whether the token is in the parameters of a `def`. */
function isHeader(code: Code, at: number): boolean {
  for (let open = at; open >= 0; open--) {
    const token = code.tokens[open]!;
    if (token.text === "(" && code.tokens[open - 2]?.text === "def") return code.pairs.get(open)! > at;
    if (token.text === "def" && token.kind === "name") return true;
    if (startsLine(code, open)) return false;
  }
  return false;
}

/** `self.items = items` and `return self.items` share a list with the caller; `list(items)` does not. */
function* copies(code: Code): Generator<Mutation | undefined> {
  const { tokens } = code;
  for (const [at, { text, depth }] of tokens.entries()) {
    if (depth > 0 || !(text === "return" || (text === "=" && endsValue(tokens[at - 1])))) continue;
    const end = lineEnd(code, at);
    if (end === at) continue;
    const value = textOf(code, at + 1, end);
    if (!/^[a-z_][\w.]*$/i.test(value) || isKeyword(value)) continue;
    const span = { start: tokens[at + 1]!.start, end: tokens[end]!.end };
    for (const make of ["list", "dict"]) yield edited(code, "copy", { ...span, text: `${make}(${value})` });
  }
}
