import { oneOf, onlyKnown, wholeFrom, within } from "../../check.ts";
import type { BranchView, CheckpointView, PrunedReward, Route, Strategy } from "../strategy.ts";
import { expansions, roomFor } from "./expansions.ts";

/** Options of {@link patr}; defaults are those of the paper (arXiv 2607.15610) unless marked as ours. */
export interface PatrOptions {
  /** Initial branches, B0. @default 4 */
  readonly branches?: number;
  /** Children of an expanded branch, M. @default 2 */
  readonly children?: number;
  /** Turns between checkpoints, K: 5 for FrozenLake, 13 for SWE-bench in the paper. @default 5 */
  readonly every?: number;
  /** Branches expanded at a checkpoint, top-k. @default 2 */
  readonly top?: number;
  /** How far below the median of the active branches a score must lie to be pruned. @default 0.5 */
  readonly alpha?: number;
  /** Identical parsed actions in a row that stop a branch, Theta. @default 6 */
  readonly theta?: number;
  /** Whether the children replace their parent or it goes on beside them; the paper leaves it open. @default "replaced" */
  readonly parent?: "replaced" | "kept";
  /** No expansion goes beyond this many leaves, finished and active together; at least `branches`. Ours. @default none */
  readonly maxLeaves?: number;
  /** What a pruned branch is worth; the paper keeps them all and does not say with which reward. @default "outcome" */
  readonly pruned?: PrunedReward;
}

/** Scores closer than this are equal: 0.8 - 0.5 must not come out above 0.3. */
const TOLERANCE = 1e-9;

/**
 * Process-scorer guided adaptive tree rollout (PATR, arXiv 2607.15610).
 *
 * Every turn a branch that chose the same action `theta` times in a row is stopped. Every `every` turns the
 * active branches are scored; those below the median of the active ones by more than `alpha` are pruned; the
 * `top` best of the rest are expanded into `children` each, ties broken by node order; the others survive.
 * The median of an even number of scores is the mean of the middle two. A branch without a score is left out
 * of the median and survives.
 */
export function patr(options: PatrOptions = {}): Strategy {
  const { branches = 4, children = 2, every = 5, top = 2, alpha = 0.5, theta = 6 } = options;
  const { parent = "replaced", maxLeaves, pruned = "outcome" } = options;
  wholeFrom(1, "patr", "branches", branches);
  wholeFrom(2, "patr", "children", children);
  wholeFrom(1, "patr", "every", every);
  wholeFrom(0, "patr", "top", top);
  within(0, 1, "patr", "alpha", alpha);
  wholeFrom(2, "patr", "theta", theta);
  if (maxLeaves !== undefined) wholeFrom(branches, "patr", "maxLeaves", maxLeaves);
  oneOf(["replaced", "kept"], "patr", "parent", parent);
  oneOf(["outcome", "zero", "drop"], "patr", "pruned", pruned);
  const keepParent = parent === "kept";
  const all = { branches, children, every, top, alpha, theta, parent, maxLeaves: maxLeaves ?? null, pruned };
  onlyKnown("patr", options, all);

  function route(view: CheckpointView): readonly Route[] {
    const { active } = view;
    const bar =
      median(active.flatMap(({ score }) => (score === undefined ? [] : [score]))) - alpha - TOLERANCE;
    const low = ({ score }: BranchView) => score !== undefined && score < bar;
    const ranked = active
      .map((branch, index) => ({ branch, index }))
      .filter(({ branch }) => branch.score !== undefined && !low(branch))
      .sort((a, b) => b.branch.score! - a.branch.score! || a.index - b.index)
      .slice(0, top)
      .map(({ index }) => index);
    const grown = expansions({
      chosen: ranked,
      children,
      keepParent,
      room: roomFor(view, maxLeaves, active.filter((branch) => !low(branch)).length),
    });
    return active.map((branch, index) =>
      low(branch) ? { kind: "prune" } : (grown.get(index) ?? { kind: "survive" }),
    );
  }

  return {
    name: "patr",
    options: all,
    roots: branches,
    every,
    scored: true,
    pruned,
    stuck: ({ node }) => node.repeats >= theta,
    route,
  };
}

/** Mean of the middle two for an even count; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
