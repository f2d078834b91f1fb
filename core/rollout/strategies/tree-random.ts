import { oneOf, onlyKnown, wholeFrom } from "../../check.ts";
import { shuffled } from "../../rng.ts";
import type { PrunedReward, Strategy } from "../strategy.ts";
import { expansions, roomFor } from "./expansions.ts";

/** Options of {@link treeRandom}; they mean what they mean in `patr`. */
export interface TreeRandomOptions {
  /** Initial branches. @default 4 */
  readonly branches?: number;
  /** Children of an expanded branch. @default 2 */
  readonly children?: number;
  /** Turns between checkpoints. @default 5 */
  readonly every?: number;
  /** Branches expanded at a checkpoint. @default 2 */
  readonly top?: number;
  /**
   * Identical actions in a row that stop a branch; null for never. The paper does not say whether its
   * baseline stops loops; ours does, so that it differs from PATR in the scores alone. @default 6
   */
  readonly theta?: number | null;
  /** @default "replaced" */
  readonly parent?: "replaced" | "kept";
  /** @default none */
  readonly maxLeaves?: number;
  /** @default "outcome" */
  readonly pruned?: PrunedReward;
}

/** PATR's tree with the branches to expand drawn at random and nothing pruned by score (Tree-Random, arXiv 2607.15610). */
export function treeRandom(options: TreeRandomOptions = {}): Strategy {
  const { branches = 4, children = 2, every = 5, top = 2, theta = 6 } = options;
  const { parent = "replaced", maxLeaves, pruned = "outcome" } = options;
  wholeFrom(1, "treeRandom", "branches", branches);
  wholeFrom(2, "treeRandom", "children", children);
  wholeFrom(1, "treeRandom", "every", every);
  wholeFrom(0, "treeRandom", "top", top);
  if (theta !== null) wholeFrom(2, "treeRandom", "theta", theta);
  if (maxLeaves !== undefined) wholeFrom(branches, "treeRandom", "maxLeaves", maxLeaves);
  oneOf(["replaced", "kept"], "treeRandom", "parent", parent);
  oneOf(["outcome", "zero", "drop"], "treeRandom", "pruned", pruned);
  const all = { branches, children, every, top, theta, parent, maxLeaves: maxLeaves ?? null, pruned };
  onlyKnown("treeRandom", options, all);
  return {
    name: "tree-random",
    options: all,
    roots: branches,
    every,
    scored: false,
    pruned,
    stuck: ({ node }) => theta !== null && node.repeats >= theta,
    route(view, rng) {
      const { active } = view;
      const chosen = shuffled([...active.keys()], rng).slice(0, top);
      const grown = expansions({
        chosen,
        children,
        keepParent: parent === "kept",
        room: roomFor(view, maxLeaves),
      });
      return active.map((_, index) => grown.get(index) ?? { kind: "survive" });
    },
  };
}
