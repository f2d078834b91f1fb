import type { Tree } from "../rollout/tree.ts";
import { actionsOf, endingOf, type Segment, segmentsOf } from "./segments.ts";

/** A tree as lines of text: branches with their actions, scores, decisions and outcomes. */
export function treeText(tree: Tree<unknown, unknown, unknown>): string {
  const { task, seed, strategy, policy, leaves, budget, problems } = tree;
  const lines = [
    `${task.id}, seed ${seed}: ${strategy.name} with ${policy}` +
      (tree.scorer ? ` and scorer ${tree.scorer}` : ""),
  ];
  const roots = segmentsOf(tree);
  for (const [index, root] of roots.entries()) draw(root, "", index === roots.length - 1, lines);
  lines.push(
    `${leaves.length} leaves, ${budget.envSteps} env steps, ${budget.forks} forks, ${budget.snapshots} snapshots`,
  );
  for (const problem of problems) lines.push(`problem: ${problem}`);
  return lines.join("\n");
}

function draw(segment: Segment, indent: string, last: boolean, lines: string[]): void {
  const { branch, nodes, children } = segment;
  const [from, to] = [nodes[0]?.turn, nodes.at(-1)?.turn];
  const turns = from === undefined ? "no turn" : from === to ? `turn ${from}` : `turns ${from}-${to}`;
  const ending = endingOf(segment);
  lines.push(
    `${indent}${last ? "└─" : "├─"} ${branch}  ${turns}: ${shorten(actionsOf(segment))}${ending === "" ? "" : ` → ${ending}`}`,
  );
  for (const [index, child] of children.entries()) {
    draw(child, `${indent}${last ? "   " : "│  "}`, index === children.length - 1, lines);
  }
}

/** Long runs of actions keep their head and tail. */
function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 80)} … ${text.slice(-30)}`;
}
