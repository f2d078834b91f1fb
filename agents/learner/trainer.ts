import { onlyKnown, wholeFrom } from "../../core/check.ts";
import type { MakeEnv } from "../../core/env.ts";
import { createRng, deriveSeed, shuffled } from "../../core/rng.ts";
import { rollout } from "../../core/rollout/engine.ts";
import type { Strategy } from "../../core/rollout/strategy.ts";
import type { Tree } from "../../core/rollout/tree.ts";
import type { Scorer } from "../../core/scorer.ts";
import type { TaskSet } from "../../core/task.ts";
import { dynamicSampling as mixedOnly } from "../../core/training/dynamic-sampling.ts";
import { groupOf, isMixed, isRemnant } from "../../core/training/group.ts";
import type { Learner, UpdateOptions, UpdateStats } from "./learner.ts";

export interface TrainerOptions<Data, Obs, Act> {
  readonly learner: Learner<Data, Obs, Act>;
  readonly env: MakeEnv<Data, Obs, Act>;
  /** Seen in an order that depends on `seed` alone, again and again. */
  readonly tasks: TaskSet<Data>;
  readonly strategy: Strategy;
  readonly scorer?: Scorer<Data, Obs, Act>;
  readonly seed: number;
  /** Env steps that an update may spend; trees are added until they are spent. */
  readonly stepsPerUpdate: number;
  readonly update?: UpdateOptions;
  /** Leaves groups of equal rewards out of the batch (DAPO, arXiv 2503.14476); their steps are spent all the same. @default false */
  readonly dynamicSampling?: boolean;
}

/** What one update saw and did; shares and means of nothing are 0, but for `success`. */
export interface UpdateReport {
  /** Counted from 1. */
  readonly update: number;
  /** Env steps of all updates so far. */
  readonly envSteps: number;
  readonly trees: number;
  /** Groups that failures cut to one leaf. They are in no batch and not in `mixed`; trees without any reward have none. */
  readonly leftOut: number;
  /** Share of the groups whose rewards differ. */
  readonly mixed: number;
  /** Share of the leaves with a reward above 0, among those that have a reward; NaN if none has (null in JSON). */
  readonly success: number;
  /** Mean entropy of the choices in nats. */
  readonly entropy: number;
  /** Mean turns of a leaf. */
  readonly turns: number;
  readonly learning: UpdateStats;
  /** What went wrong in the trees, counted: failures of the Env, the policy or the scorer. */
  readonly problems: number;
  /** The first of them, in words, after the id of its task. */
  readonly problem?: string;
}

/** Where a trainer stands, beside what its learner has learned. */
export type TrainerState = { readonly update: number; readonly cursor: number; readonly envSteps: number };

export interface Trainer {
  /** Grows a batch of trees and trains on it. */
  next(): Promise<UpdateReport>;
  state(): TrainerState;
  /** Goes on from a state; the learner is loaded by its owner. */
  load(state: TrainerState): void;
}

/**
 * Alternates rollouts and updates at a fixed price: after update u, at least u * `stepsPerUpdate` env steps are
 * spent, and less than one tree more, whatever the strategy. What one batch overspends, the next has less.
 * @throws {InputError} on an unknown option, or a `stepsPerUpdate` that is not a whole number from 1 up.
 */
export function createTrainer<Data, Obs, Act>(options: TrainerOptions<Data, Obs, Act>): Trainer {
  const { learner, env, tasks, strategy, scorer, seed, stepsPerUpdate, update, dynamicSampling } = options;
  onlyKnown("trainer", options, {
    ...{ learner, env, tasks, strategy, scorer, seed, stepsPerUpdate, update, dynamicSampling },
  });
  wholeFrom(1, "trainer", "stepsPerUpdate", stepsPerUpdate);
  const order = shuffled([...Array(tasks.size).keys()], createRng(deriveSeed(seed, "task order")));
  let state: TrainerState = { update: 0, cursor: 0, envSteps: 0 };

  async function batch(): Promise<Tree<Data, Obs, Act>[]> {
    const trees: Tree<Data, Obs, Act>[] = [];
    let { update, cursor, envSteps } = state;
    update++;
    while (envSteps < update * stepsPerUpdate) {
      const tree = await rollout(tasks.at(order[cursor % order.length]!), {
        env,
        policy: learner,
        strategy,
        seed: deriveSeed(seed, "tree", cursor),
        ...(scorer !== undefined && { scorer }),
      });
      trees.push(tree);
      cursor++;
      envSteps += Math.max(1, tree.budget.envSteps);
    }
    state = { update, cursor, envSteps };
    return trees;
  }

  return {
    async next() {
      const trees = await batch();
      const rewarded = trees.map((tree) => groupOf(tree)).filter(({ leaves }) => leaves.length > 0);
      const groups = rewarded.filter((group) => !isRemnant(group));
      const learning = learner.update(dynamicSampling ? mixedOnly(groups).kept : groups, update);
      return {
        update: state.update,
        envSteps: state.envSteps,
        trees: trees.length,
        leftOut: rewarded.length - groups.length,
        mixed: share(groups, isMixed),
        learning,
        ...means(trees),
        ...problemsOf(trees),
      };
    },
    state: () => state,
    load(loaded) {
      state = { ...loaded };
    },
  };
}

function means(
  trees: readonly Tree<unknown, unknown, unknown>[],
): Pick<UpdateReport, "success" | "entropy" | "turns"> {
  const leaves = trees.flatMap((tree) => tree.leaves);
  let [entropy, choices] = [0, 0];
  for (const { nodes } of trees) {
    for (const { choice } of nodes) {
      if (choice?.entropy === undefined) continue;
      entropy += choice.entropy;
      choices++;
    }
  }
  const rewards = leaves.flatMap(({ reward }) => reward ?? []);
  return {
    success: rewards.length === 0 ? Number.NaN : share(rewards, (reward) => reward > 0),
    entropy: entropy / Math.max(1, choices),
    turns: leaves.reduce((sum, { node }) => sum + node.turn, 0) / Math.max(1, leaves.length),
  };
}

function problemsOf(
  trees: readonly Tree<unknown, unknown, unknown>[],
): Pick<UpdateReport, "problems" | "problem"> {
  const all = trees.flatMap(({ task, problems }) => problems.map((problem) => `${task.id}: ${problem}`));
  return { problems: all.length, ...(all[0] !== undefined && { problem: all[0] }) };
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.length === 0 ? 0 : items.filter(holds).length / items.length;
}
