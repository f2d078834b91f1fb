import type { Rng } from "../../core/rng.ts";
import { codeOf } from "./code.ts";
import { mutationsOf, PRIORS, SHARED } from "./mutations.ts";
import type { Spot } from "./report.ts";

/** One edit to try. */
export type Attempt = {
  readonly kind: string;
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly before: string;
  /** One line, or several. */
  readonly after: string;
};

interface Candidate {
  readonly attempt: Attempt;
  readonly key: string;
  readonly weight: number;
}

export interface Draw {
  readonly attempt: Attempt;
  readonly key: string;
  readonly logprob: number;
  readonly entropy: number;
}

const known = new WeakMap<readonly Spot[], readonly Candidate[]>();

/**
 * Draws an attempt that is not in `tried`, in proportion to its line's suspicion times the prior of its
 * kind; undefined if none is left.
 */
export function draw(spots: readonly Spot[], tried: ReadonlySet<string>, rng: Rng): Draw | undefined {
  let candidates = known.get(spots);
  if (candidates === undefined) {
    candidates = candidatesOf(spots);
    known.set(spots, candidates);
  }
  const left = candidates.filter(({ key }) => !tried.has(key));
  const total = left.reduce((sum, { weight }) => sum + weight, 0);
  if (left.length === 0) return undefined;
  let rest = rng.next() * total;
  const chosen =
    left.find(({ weight }) => {
      rest -= weight;
      return rest < 0;
    }) ?? left.at(-1)!;
  let entropy = 0;
  for (const { weight } of left) entropy -= (weight / total) * Math.log(weight / total);
  return { attempt: chosen.attempt, key: chosen.key, logprob: Math.log(chosen.weight / total), entropy };
}

function candidatesOf(spots: readonly Spot[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const { path, name, from, text, score, parameters, names } of spots) {
    const mutations = mutationsOf(codeOf(text, parameters, names));
    const sizes = new Map<string, number>();
    for (const { kind, line } of mutations) {
      sizes.set(`${kind}:${line}`, (sizes.get(`${kind}:${line}`) ?? 0) + 1);
    }
    for (const { kind, line, after } of mutations) {
      const suspicion = score[line] ?? 0;
      if (suspicion === 0) continue;
      const before = text[line]!;
      // Line numbers shift when a guard is kept; the line's text and which of its like it is do not.
      const occurrence = text.slice(0, line).filter((other) => other === before).length;
      const key = JSON.stringify([path, name, before, occurrence, after]);
      const share = SHARED.has(kind) ? sizes.get(`${kind}:${line}`)! : 1;
      const weight = (suspicion * PRIORS[kind]!) / share;
      if (!found.has(key)) {
        found.set(key, { key, weight, attempt: { kind, path, line: from + line, before, after } });
      }
    }
  }
  return [...found.values()];
}
