import { InputError } from "../errors.ts";
import type { Leaf, Tree } from "../rollout/tree.ts";
import type { Task } from "../task.ts";
import { differ } from "./advantage.ts";

/** A leaf that a trainer can use. */
export type RewardedLeaf<Obs, Act> = Leaf<Obs, Act> & { readonly reward: number };

/** A tree as a trainer sees it: its leaves with rewards. Sizes vary from tree to tree. */
export interface Group<Data, Obs, Act> {
  readonly task: Task<Data>;
  readonly tree: Tree<Data, Obs, Act>;
  /** In the tree's order. */
  readonly leaves: readonly RewardedLeaf<Obs, Act>[];
  /** One per leaf. */
  readonly rewards: readonly number[];
  /** Whether the tree has leaves and none of them ended by an error or an abort. */
  readonly complete: boolean;
  /** Leaves of the tree that are not in the group, because they have no reward. */
  readonly dropped: number;
}

/**
 * The group of a tree. A leaf without a reward is left out and counted, never taken for a zero: a container
 * that died says nothing about the policy.
 * @throws {InputError} on a reward that is not a finite number, naming the task and the branch.
 */
export function groupOf<Data, Obs, Act>(tree: Tree<Data, Obs, Act>): Group<Data, Obs, Act> {
  const leaves = tree.leaves.filter((leaf): leaf is RewardedLeaf<Obs, Act> => leaf.reward !== undefined);
  for (const { reward, branch } of leaves) {
    if (!Number.isFinite(reward)) {
      throw new InputError(
        `groupOf: expected a finite reward, got ${reward} at branch ${branch} of task ${tree.task.id}`,
      );
    }
  }
  return {
    task: tree.task,
    tree,
    leaves,
    rewards: leaves.map((leaf) => leaf.reward),
    complete: tree.leaves.length > 0 && tree.leaves.every(({ end }) => end !== "error" && end !== "aborted"),
    dropped: tree.leaves.length - leaves.length,
  };
}

/**
 * Whether failures cut the group to one leaf. Its advantage would be its raw reward, which compares it with nothing:
 * such a group is no batch's. One that was meant to have a single leaf is complete, and none.
 */
export function isRemnant(group: {
  readonly rewards: readonly number[];
  readonly complete?: boolean;
}): boolean {
  return group.rewards.length === 1 && group.complete === false;
}

/** Whether the rewards differ, so that a group-relative advantage says something. */
export function isMixed(group: { readonly rewards: readonly number[] }): boolean {
  return differ(group.rewards);
}
