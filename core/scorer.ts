import { InputError } from "./errors.ts";
import type { Node } from "./rollout/tree.ts";
import type { Task } from "./task.ts";

/**
 * S(task, branch): how promising a branch that ends in `node` looks, from 0 to 1 (PATR, arXiv 2607.15610).
 * Scores steer sampling and never enter a reward or an advantage. `undefined`, a value outside of [0, 1] or an
 * exception is a missing score: the branch is neither expanded nor pruned for it.
 */
export interface Scorer<Data, Obs, Act> {
  readonly name: string;
  score(input: ScoreInput<Data, Obs, Act>): number | undefined | Promise<number | undefined>;
}

export interface ScoreInput<Data, Obs, Act> {
  readonly task: Task<Data>;
  /** The branch's last turn; its parents are the turns before. */
  readonly node: Node<Obs, Act>;
  readonly signal: AbortSignal;
}

/**
 * The weighted mean of several scorers, as in s = lambda * judge + (1 - lambda) * heuristic (PATR). A part
 * without a score is left out and the other weights are scaled up; with no score at all there is none.
 * @throws {InputError} on no parts or a weight that is not a positive number.
 */
export function mix<Data, Obs, Act>(
  parts: readonly { readonly scorer: Scorer<Data, Obs, Act>; readonly weight: number }[],
): Scorer<Data, Obs, Act> {
  if (parts.length === 0) throw new InputError("mix: expected at least one scorer, got none");
  for (const { scorer, weight } of parts) {
    if (!(weight > 0 && Number.isFinite(weight))) {
      throw new InputError(`mix: expected a positive \`weight\` for ${scorer.name}, got ${weight}`);
    }
  }
  return {
    name: `mix(${parts.map(({ scorer, weight }) => `${weight}*${scorer.name}`).join("+")})`,
    async score(input) {
      const scores = await Promise.all(parts.map(({ scorer }) => scorer.score(input)));
      let sum = 0;
      let weights = 0;
      scores.forEach((score, index) => {
        if (score === undefined) return;
        sum += parts[index]!.weight * score;
        weights += parts[index]!.weight;
      });
      return weights === 0 ? undefined : sum / weights;
    },
  };
}
