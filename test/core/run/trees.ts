import type { Checkpoint, LeafEnd, Node, Tree } from "../../../core/rollout/tree.ts";
import { type TinyTree, tinyTree } from "../../training/tiny-tree.ts";

/**
 * One branch that was expanded at turn 2 and one that was pruned there; the children fare differently.
 *
 *     0    turns 1-2, score 0.90, expand
 *     0.0  turn 3, won
 *     0.1  turns 3-4, lost
 *     1    turns 1-2, score 0.10, prune
 */
export const grown: TinyTree & { readonly checkpoints: readonly Checkpoint[] } = {
  ...tinyTree([
    {
      turns: [0, 1],
      next: [
        { turns: [2], reward: 1 },
        { turns: [0, 0], reward: 0, end: "failure" },
      ],
    },
    { turns: [2, 2], reward: 0, end: "pruned-score" },
  ]),
  checkpoints: [
    {
      turn: 2,
      routings: [
        { branch: "0", score: 0.9, route: "expand" },
        { branch: "1", score: 0.1, route: "prune" },
      ],
    },
  ],
};

/** A tree of one branch with these actions. */
export function lineTree(
  actions: readonly unknown[],
  leaf: { readonly end: LeafEnd; readonly reward?: number; readonly error?: string },
): Tree<unknown, unknown, unknown> {
  const {
    nodes: [root],
    ...rest
  } = tinyTree([]);
  const nodes: Node<unknown, unknown>[] = [root!];
  for (const action of actions) {
    const parent = nodes.at(-1)!;
    const turn = parent.turn + 1;
    nodes.push({ parent, branch: "0", turn, observation: turn, choice: { action }, reward: 0, repeats: 1 });
  }
  return {
    ...rest,
    nodes,
    branches: [{ path: "0", from: root!, seed: null }],
    leaves: [{ branch: "0", node: nodes.at(-1)!, ...leaf }],
  };
}
