import type { Node } from "../../core/rollout/tree.ts";
import type { Scorer } from "../../core/scorer.ts";
import { distancesToGoal } from "./distance.ts";
import type { LakeView } from "./rllm.ts";
import type { RllmAction, RllmLakeData } from "./rllm-rules.ts";

/**
 * How near to success a branch is, from 0 to 1, from what its player can see. PATR (arXiv 2607.15610) names the
 * ingredients (the state, the reward so far, the shortest way by BFS) and not the formula; this one is ours:
 *
 * - 1 on the goal; 0 in a hole, when no way leads to the goal, or when the way is longer than the turns left;
 * - else 0.8 * max(0, (d0 - d) / d0) + 0.2 * (1 - wasted / turns), where d is the distance to the goal, d0 that of
 *   the root, and a turn is wasted if it changed nothing or led back to a cell that was visited before. With no
 *   turns taken nothing is wasted.
 *
 * On a slippery lake distances are counted as if it were not.
 */
export const progressScorer: Scorer<RllmLakeData, LakeView, RllmAction> = {
  name: "progress",
  score: ({ node }) => progressOf(node),
};

function progressOf(node: Node<LakeView, RllmAction>): number {
  if (node.end === "success") return 1;
  if (node.end === "failure") return 0;
  const { map, player, turnsLeft } = node.observation;
  const distances = distancesToGoal(map);
  const distance = distances[player] ?? -1;
  if (distance === 0) return 1;
  if (distance < 0 || distance > turnsLeft) return 0;
  const visited = new Set<number>([player]);
  let root = node;
  let turns = 0;
  while (root.parent !== undefined) {
    root = root.parent;
    turns++;
    visited.add(root.observation.player);
  }
  // Each turn led to a new cell or was wasted.
  const wasted = turns + 1 - visited.size;
  const first = distances[root.observation.player]!;
  const gained = Math.max(0, (first - distance) / first);
  return 0.8 * gained + 0.2 * (turns === 0 ? 1 : 1 - wasted / turns);
}
