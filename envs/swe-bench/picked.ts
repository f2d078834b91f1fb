import type { Leaf, Tree } from "../../core/rollout/tree.ts";
import type { SweInstance } from "./instance.ts";
import { sweProgress } from "./progress.ts";
import type { SweAction, SweObservation } from "./types.ts";

/**
 * How one patch of a tree is chosen, never by what the hidden tests said. `progress`: that of the leaf whose path the
 * `swe-progress` scorer puts highest, of equals the first. `first`: that of the first leaf. `all`: each, in their order.
 */
export type Pick = "progress" | "first" | "all";

export const PICKS: readonly Pick[] = ["progress", "first", "all"];

type SweTree = Tree<SweInstance, SweObservation, SweAction>;
type SweLeaf = Leaf<SweObservation, SweAction>;

/**
 * The patches of a tree's finished leaves, as chosen; "" stands for no patch. Pruned, aborted and failed leaves are
 * not finished. With `progress` and `first` it is one patch, of a leaf without one only if there is no other, or none
 * if no leaf is finished.
 */
export async function pickedPatches(tree: SweTree, pick: Pick): Promise<readonly string[]> {
  const finished = tree.leaves.filter(isFinished).map((leaf) => ({ leaf, patch: patchOf(leaf) }));
  if (pick === "all") return finished.map(({ patch }) => patch);
  const written = finished.filter(({ patch }) => patch.trim() !== "");
  const from = written.length > 0 ? written : finished.slice(0, 1);
  if (pick === "first" || from.length < 2) return from.slice(0, 1).map(({ patch }) => patch);
  const { signal } = new AbortController();
  const scores: number[] = [];
  for (const { leaf } of from)
    scores.push((await sweProgress.score({ task: tree.task, node: leaf.node, signal })) ?? 0);
  return [from[scores.indexOf(Math.max(...scores))]!.patch];
}

function isFinished({ end }: SweLeaf): boolean {
  return end !== "pruned-score" && end !== "pruned-repeat" && end !== "aborted" && end !== "error";
}

/** The patch is with the last step, or with the settlement of a branch that was cut short. */
function patchOf({ node, info }: SweLeaf): string {
  const patch = node.info?.patch ?? info?.patch;
  return typeof patch === "string" ? patch : "";
}
