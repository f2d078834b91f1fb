import type { EndReason } from "../env.ts";
import { canonicalJson, type Json, type JsonObject } from "../json.ts";
import type { Decision } from "../policy.ts";
import type { Task } from "../task.ts";
import type { Budget } from "./budget.ts";

/** One recorded turn. The root is turn 0: it holds the first observation and no action. */
export interface Node<Obs, Act> {
  readonly parent?: Node<Obs, Act>;
  /** Path of the branch that took this turn. */
  readonly branch: string;
  /** Turns from the root, which is 0. */
  readonly turn: number;
  /** What the environment answered. */
  readonly observation: Obs;
  /** What the policy chose; not on the root. */
  readonly choice?: Decision<Act>;
  readonly reward: number;
  readonly end?: EndReason;
  readonly info?: JsonObject;
  /** How many times in a row the branch has now chosen this very action; 0 on the root. */
  readonly repeats: number;
}

/** A path that was extended, and how it came to be. */
export interface BranchRecord<Obs, Act> {
  /** Child numbers from the root, joined by dots: `2.0` is the first child of the third initial branch. */
  readonly path: string;
  /** Where it starts; its own turns are those whose `branch` is this path. */
  readonly from: Node<Obs, Act>;
  /** Seed of the fresh noise its fork was given; null if it goes on in its parent's own Env. */
  readonly seed: number | null;
}

/** Why a branch ended: the environment's reason, or ours; `context-limit` where its policy had no room for a turn. */
export type LeafEnd = EndReason | "pruned-score" | "pruned-repeat" | "context-limit" | "aborted" | "error";

/** The last node of a finished branch. */
export interface Leaf<Obs, Act> {
  readonly branch: string;
  readonly node: Node<Obs, Act>;
  readonly end: LeafEnd;
  /** Outcome reward. Missing when there is none (an error, an abort) or when the leaf was dropped. */
  readonly reward?: number;
  /** What the environment said of the outcome, when the branch was cut short. */
  readonly info?: JsonObject;
  /** What failed, when `end` is `error`. */
  readonly error?: string;
}

/** What a checkpoint saw and decided for one branch. */
export interface Routing {
  readonly branch: string;
  readonly score?: number;
  readonly route: "expand" | "survive" | "prune";
}

export interface Checkpoint {
  readonly turn: number;
  readonly routings: readonly Routing[];
}

/** Everything that one task's rollout did. */
export interface Tree<Data, Obs, Act> {
  readonly task: Task<Data>;
  readonly seed: number;
  readonly policy: string;
  readonly scorer?: string;
  readonly strategy: { readonly name: string; readonly options: Json };
  /** In an order that depends on the seed alone; parents before children. Empty if `reset` failed. */
  readonly nodes: readonly Node<Obs, Act>[];
  readonly branches: readonly BranchRecord<Obs, Act>[];
  readonly leaves: readonly Leaf<Obs, Act>[];
  readonly checkpoints: readonly Checkpoint[];
  readonly budget: Budget;
  /** What went wrong, in words; empty for a complete tree. */
  readonly problems: readonly string[];
}

/** The nodes from the root to `node`, both included. */
export function pathTo<Obs, Act>(node: Node<Obs, Act>): Node<Obs, Act>[] {
  const path: Node<Obs, Act>[] = [];
  for (let at: Node<Obs, Act> | undefined = node; at !== undefined; at = at.parent) path.push(at);
  return path.reverse();
}

/** Sum of the rewards from the root to `node`. */
export function rewardTo(node: Node<unknown, unknown>): number {
  let sum = 0;
  for (let at: Node<unknown, unknown> | undefined = node; at !== undefined; at = at.parent) sum += at.reward;
  return sum;
}

/** Whether two parsed actions are the same: equal as JSON, whatever the order of keys. */
export function sameAction(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return typeof a === "object" && typeof b === "object" && canonicalJson(a) === canonicalJson(b);
}
