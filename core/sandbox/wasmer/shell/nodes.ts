import type { CommandNode, ScriptNode, SimpleCommandNode } from "just-bash";

/** Every simple command in a part of a script, those in substitutions and functions too. */
export function simpleCommandsIn(part: unknown): SimpleCommandNode[] {
  return nodesIn(part, "SimpleCommand", true) as SimpleCommandNode[];
}

export type ForNode = Extract<CommandNode, { readonly type: "For" }>;

/** Every `for` loop over words. */
export function forLoopsIn(part: unknown): ForNode[] {
  return nodesIn(part, "For", true) as ForNode[];
}

/** The scripts in `$(...)`, not those within them. */
export function substitutionsIn(part: unknown): ScriptNode[] {
  return (nodesIn(part, "CommandSubstitution", false) as { readonly body: ScriptNode }[]).map(
    ({ body }) => body,
  );
}

/** Of a range such as `{1..20000}` the shell expands so many numbers, and leaves out the rest without a word. */
const RANGE = 10_000;

/** Writes long ranges as several short ones, which are as many words. */
export function splitRanges(part: unknown): void {
  for (const node of nodesIn(part, "BraceExpansion", true) as BraceExpansionPart[]) {
    if (node.items.some((item) => item.type === "Range")) node.items = node.items.flatMap(shortRanges);
  }
}

type BraceExpansionPart = { items: BraceItem[] };
type BraceItem = { readonly type: string; start?: unknown; end?: unknown; step?: number | undefined };

function shortRanges(item: BraceItem): BraceItem[] {
  const { type, start, end, step } = item;
  if (type !== "Range" || typeof start !== "number" || typeof end !== "number") return [item];
  const by = Math.max(Math.abs(step ?? 1), 1) * (start <= end ? 1 : -1);
  const count = Math.floor((end - start) / by) + 1;
  if (count <= RANGE) return [item];
  const parts: BraceItem[] = [];
  for (let at = 0; at < count; at += RANGE) {
    const last = Math.min(at + RANGE, count) - 1;
    parts.push({ ...item, start: start + at * by, end: start + last * by });
  }
  return parts;
}

function nodesIn(part: unknown, type: string, inside: boolean): unknown[] {
  const found: unknown[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === "object" && value !== null) {
      const isOne = "type" in value && value.type === type;
      if (isOne) found.push(value);
      if (!isOne || inside) Object.values(value).forEach(visit);
    }
  };
  visit(part);
  return found;
}
