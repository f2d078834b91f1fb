import { type Statement, statementsOf } from "./python-statements.ts";

/** Lines left out of a view, from 0, both included. */
export interface Gap {
  readonly first: number;
  readonly last: number;
}

/** A function's body of at least so many lines is left out, and the inside of a class docstring of at least so many. */
const LEAST = { body: 4, docstring: 5 } as const;

/**
 * What a condensed view of a Python file leaves out: bodies of functions, and the inside of long docstrings of
 * classes, by R2E-Gym's sizes. By indentation and quotes alone, so that it needs no Python; of a file that is
 * not well formed it leaves out less.
 */
export function gapsOf(lines: readonly string[]): Gap[] {
  const statements = statementsOf(lines);
  const gaps: Gap[] = [];
  let at = 0;
  while (at < statements.length) {
    const statement = statements[at]!;
    const next = statements[at + 1];
    const hasBody = next !== undefined && next.indent > statement.indent;
    if (hasBody && /^(async\s+)?def\b/.test(statement.head)) {
      const end = endOfBody(statements, at);
      const gap = { first: next.first, last: statements[end - 1]!.last };
      if (gap.last - gap.first + 1 >= LEAST.body) {
        gaps.push(gap);
        at = end;
        continue;
      }
    }
    if (hasBody && /^class\b/.test(statement.head) && /^[rRuUbB]*["']/.test(next.head)) {
      if (next.last - next.first + 1 >= LEAST.docstring)
        gaps.push({ first: next.first + 1, last: next.last - 1 });
    }
    at++;
  }
  return gaps;
}

/** The first statement after the body of the one at `header`. */
function endOfBody(statements: readonly Statement[], header: number): number {
  const { indent } = statements[header]!;
  let at = header + 1;
  while (at < statements.length && statements[at]!.indent > indent) at++;
  return at;
}
