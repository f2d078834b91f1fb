import type { Json } from "../json.ts";
import type { Rng } from "../rng.ts";
import type { Node } from "./tree.ts";

/** An active branch as a strategy sees it. */
export interface BranchView {
  readonly path: string;
  /** Its last turn. */
  readonly node: Node<unknown, unknown>;
  /** In [0, 1]; missing if the strategy takes no scores or the scorer had none. */
  readonly score?: number;
}

export interface CheckpointView {
  readonly turn: number;
  /** In node order, which is also how ties are broken. Never empty. */
  readonly active: readonly BranchView[];
  /** Leaves so far, whatever their end. */
  readonly leaves: number;
  /**
   * Turns that the tree has left, at least 1; absent where they are not limited. Expansions to more branches than this
   * are cut back, the later ones first.
   */
  readonly turns?: number;
}

export type Route =
  | { readonly kind: "survive" }
  | { readonly kind: "prune" }
  /** `children` branches start here. One of them goes on in the parent's own Env, unless `keepParent`. */
  | { readonly kind: "expand"; readonly children: number; readonly keepParent?: boolean };

/**
 * A rollout rule as a value: decisions over data, no I/O, so that every rule can be tested as a table.
 *
 * Each turn: a branch whose episode ended leaves; then `stuck` may stop it. Every `every` turns, once all
 * active branches stand there: they are scored (if `scored`), and `route` decides about each.
 */
export interface Strategy {
  readonly name: string;
  /** What it was made with, defaults included, for the record. */
  readonly options: Json;
  /** Branches at the start (B0). */
  readonly roots: number;
  /** Turns between checkpoints (K). Absent: no checkpoints. */
  readonly every?: number;
  /** Whether `route` reads scores. */
  readonly scored: boolean;
  /** What a pruned branch is worth: its true outcome, zero, or dropped from the group. @default "outcome" */
  readonly pruned?: PrunedReward;
  /** Whether a branch that goes in circles is to be stopped; asked after every turn. */
  stuck?(branch: BranchView): boolean;
  /** One decision for each active branch, in their order. */
  route?(view: CheckpointView, rng: Rng): readonly Route[];
  /**
   * How many fresh branches to start from the root when no branch is active any more; 0 ends the tree. Not asked
   * after an abort or once `treeMs` are over.
   */
  topUp?(leaves: number): number;
}

export type PrunedReward = "outcome" | "zero" | "drop";
