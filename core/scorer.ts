import { oneOf } from "./check.ts";
import { InputError } from "./errors.ts";
import type { TokenUsage } from "./policy.ts";
import { checkedScore } from "./rollout/answers.ts";
import type { Node } from "./rollout/tree.ts";
import type { Task } from "./task.ts";

/**
 * S(task, branch): how promising a branch that ends in `node` looks, from 0 to 1 (PATR, arXiv 2607.15610).
 * Scores steer sampling and never enter a reward or an advantage. `undefined`, anything else than a number in [0, 1],
 * or an exception is a missing score: the branch is neither expanded nor pruned for it.
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
  /** Is told, any number of times before the score is there, what it costs and what fails; for the tree's record. */
  readonly report?: (report: ScoreReport) => void;
}

/** What one request for a score came to. */
export interface ScoreReport {
  /** Added up in the tree's budget. */
  readonly usage?: TokenUsage;
  /** A word for what failed, for example `timeout` or `unreadable`; counted in the tree's problems. */
  readonly fault?: string;
}

/** Options of {@link mix}. */
export interface MixOptions {
  /**
   * What becomes of the score where a part has none. `others`: the part is left out and the other weights are scaled up,
   * so that branches may be compared by different means. `none`: there is no score. @default "others"
   */
  readonly missing?: "others" | "none";
}

/**
 * The weighted mean of several scorers, as in s = lambda * judge + (1 - lambda) * heuristic (PATR). With no score at all
 * there is none.
 * @throws {InputError} on no parts, a weight that is not a positive number, or an unknown option.
 */
export function mix<Data, Obs, Act>(
  parts: readonly { readonly scorer: Scorer<Data, Obs, Act>; readonly weight: number }[],
  { missing = "others" }: MixOptions = {},
): Scorer<Data, Obs, Act> {
  oneOf(["others", "none"], "mix", "missing", missing);
  if (parts.length === 0) throw new InputError("mix: expected at least one scorer, got none");
  for (const { scorer, weight } of parts) {
    if (!(weight > 0 && Number.isFinite(weight))) {
      throw new InputError(`mix: expected a positive \`weight\` for ${scorer.name}, got ${weight}`);
    }
  }
  return {
    name: `mix(${parts.map(({ scorer, weight }) => `${weight}*${scorer.name}`).join("+")}${
      missing === "none" ? ", all or none" : ""
    })`,
    async score(input) {
      const scores = await Promise.all(
        parts.map(async ({ scorer }) => {
          const score = await scorer.score(input);
          // Of a number the sum shows whether it will do; null would add up as 0.
          return typeof score === "number" ? score : checkedScore(score, `mix: ${scorer.name}: `);
        }),
      );
      if (missing === "none" && scores.includes(undefined)) return undefined;
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
