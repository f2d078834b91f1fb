import { emptyBudget } from "../../../core/rollout/budget.ts";
import type { Leaf, Node, Tree } from "../../../core/rollout/tree.ts";
import type { SweInstance } from "../../../envs/swe-bench/instance.ts";
import { toInstance } from "../../../envs/swe-bench/rows/normalise.ts";
import type { SweAction, SweObservation } from "../../../envs/swe-bench/types.ts";
import { classicRow } from "./rows/rows.ts";

/** A leaf of one turn. */
export interface Sketch {
  readonly end: Leaf<unknown, unknown>["end"];
  /** Undefined is no patch. */
  readonly patch?: string;
  /** Whether the patch came with the settlement of a branch that was cut short. */
  readonly settled?: boolean;
  readonly reward?: number;
  /** What its only turn did; an edit is worth more to the scorer than looking. @default looking */
  readonly edits?: boolean;
}

/** A tree of the issue of this id whose leaves all hang on the root. */
export function treeOf(
  instance_id: string,
  sketches: readonly Sketch[],
): Tree<SweInstance, SweObservation, SweAction> {
  const data = toInstance(classicRow({ instance_id }));
  const observation = { text: "", turn: 0, turnsLeft: 50, exitCode: null };
  const root: Node<SweObservation, SweAction> = { branch: "0", turn: 0, observation, reward: 0, repeats: 0 };
  const leaves = sketches.map(({ end, patch, settled = false, reward = 0, edits = false }, at) => {
    const info = patch === undefined ? { outcome: "no-patch" } : { outcome: "graded", patch };
    const command = edits ? "sed -i s/1/2/ a.py" : "ls";
    const node: Node<SweObservation, SweAction> = {
      parent: root,
      branch: String(at),
      turn: 1,
      observation: { text: "ok", turn: 1, turnsLeft: 49, exitCode: 0 },
      choice: { action: { tool: "execute_bash", arguments: { command } } },
      reward: settled ? 0 : reward,
      repeats: 1,
      ...(!settled && { info }),
    };
    return { branch: String(at), node, end, reward, ...(settled && { info }) };
  });
  return {
    task: { id: data.id, data },
    seed: 0,
    policy: "scripted",
    strategy: { name: "independent", options: {} },
    nodes: [root, ...leaves.map(({ node }) => node)],
    branches: leaves.map(({ branch }) => ({ path: branch, from: root, seed: 0 })),
    leaves,
    checkpoints: [],
    budget: emptyBudget(),
    problems: [],
  };
}
