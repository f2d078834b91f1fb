import type { BranchView } from "../../../../core/rollout/strategy.ts";
import type { Node } from "../../../../core/rollout/tree.ts";

/** Active branches with these scores, in node order. */
export function views(
  scores: readonly (number | undefined)[],
  fields: Partial<Node<unknown, unknown>> = {},
): BranchView[] {
  return scores.map((score, index) => {
    const path = String(index);
    const node = { branch: path, turn: 5, observation: null, reward: 0, repeats: 1, ...fields };
    return score === undefined ? { path, node } : { path, node, score };
  });
}
