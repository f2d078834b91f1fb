import { bracketMutations } from "./bracket-mutations.ts";
import type { Code, Mutation } from "./code.ts";
import { nameMutations } from "./name-mutations.ts";
import { operatorMutations } from "./operator-mutations.ts";
import { statementMutations } from "./statement-mutations.ts";

/** How likely one mutation of each kind mends a bug, relative to each other: our guess, measured on no data set. */
export const PRIORS: Readonly<Record<string, number>> = {
  compare: 1,
  logic: 1,
  bound: 1,
  twin: 1,
  default: 1,
  none: 1,
  constant: 1,
  arithmetic: 0.7,
  negate: 0.7,
  swap: 0.7,
  flow: 0.5,
  drop: 0.5,
  flip: 0.4,
  except: 0.4,
  argument: 0.3,
  assign: 0.2,
  get: 0.2,
  name: 0.8,
  guard: 0.5,
  return: 0.3,
  copy: 0.3,
};

/** Kinds of which a line has so many that they share one prior. */
export const SHARED: ReadonlySet<string> = new Set(["name", "guard", "return", "copy"]);

/**
 * Every mutation of a stretch of Python, in an order that depends on the text alone, each other text once. Strings
 * and comments stay as they are. Nothing is parsed: some are no valid Python, and fail when they are tried.
 */
export function mutationsOf(code: Code): Mutation[] {
  const seen = new Set<string>();
  const found: Mutation[] = [];
  for (const mutations of [operatorMutations, bracketMutations, nameMutations, statementMutations]) {
    for (const mutation of mutations(code)) {
      if (mutation === undefined || mutation.after === code.lines[mutation.line]) continue;
      const key = `${mutation.line}:${mutation.after}`;
      if (seen.has(key)) continue;
      seen.add(key);
      found.push(mutation);
    }
  }
  return found;
}
