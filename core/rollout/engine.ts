import { wholeFrom } from "../check.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { MakeEnv } from "../env.ts";
import { InputError } from "../errors.ts";
import type { Policy } from "../policy.ts";
import { forEachPooled } from "../pool.ts";
import type { Scorer } from "../scorer.ts";
import type { Task } from "../task.ts";
import type { Tracer } from "../trace/tracer.ts";
import { checkGiven } from "./given.ts";
import { Growth } from "./growth.ts";
import { checkLimits, following, type Limits } from "./limits.ts";
import { treeSpan } from "./spans.ts";
import type { Strategy } from "./strategy.ts";
import type { Tree } from "./tree.ts";

/** Options of {@link rollout}. */
export interface RolloutOptions<Data, Obs, Act> {
  /** Makes the Env that is reset to the task; every branch is a fork of it. */
  readonly env: MakeEnv<Data, Obs, Act>;
  readonly policy: Policy<Data, Obs, Act>;
  readonly strategy: Strategy;
  /** Needed by strategies that route by score. */
  readonly scorer?: Scorer<Data, Obs, Act>;
  /** Run seed, a whole number from 0. Seeds of branches are derived of it, the task's id and their path. */
  readonly seed: number;
  readonly limits?: Limits;
  /** Aborting it ends the active branches without a reward and closes everything. */
  readonly signal?: AbortSignal;
  /** Branches of a tree that are advanced or scored at once; the tree is the same for any. @default all */
  readonly concurrency?: number;
  /** What `treeMs` and `budget.seconds` go by; what hangs is given up by the system's timers. @default the system's monotonic clock */
  readonly clock?: Clock;
  /** Is told of the tree, its turns, forks and scores as spans. @default none, which costs nothing */
  readonly tracer?: Tracer;
}

/**
 * Rolls out one task as a tree. Everything that was opened is closed when it returns.
 *
 * What fails in a branch (the policy, the Env, a fork) makes that branch a leaf with an error and no reward;
 * what fails in the scorer is a missing score. The tree's `problems` say so in words; nothing is thrown.
 *
 * @throws {InputError} on bad or unknown options and missing parts, before anything is opened.
 */
export async function rollout<Data, Obs, Act>(
  task: Task<Data>,
  options: RolloutOptions<Data, Obs, Act>,
): Promise<Tree<Data, Obs, Act>> {
  checkGiven(task, options);
  const { strategy, scorer, seed, limits = {}, concurrency = Number.MAX_SAFE_INTEGER } = options;
  wholeFrom(0, "rollout", "seed", seed);
  wholeFrom(1, "rollout", "concurrency", concurrency);
  checkLimits(limits);
  if (strategy.scored && scorer === undefined) {
    throw new InputError(`rollout: strategy ${strategy.name} routes by score; pass a \`scorer\``);
  }
  const growing = { ...options, limits, concurrency, clock: options.clock ?? systemClock };
  const grow = async () => {
    if (options.signal === undefined) return new Growth(task, growing).run();
    const { signal, done } = following(options.signal);
    try {
      return await new Growth(task, { ...growing, signal }).run();
    } finally {
      done();
    }
  };
  return options.tracer === undefined ? grow() : treeSpan(options.tracer, task, options, grow);
}

/** Options of {@link rolloutAll}. */
export interface RolloutAllOptions<Data, Obs, Act> extends RolloutOptions<Data, Obs, Act> {
  /** Trees grown at once. @default 1 */
  readonly trees?: number;
}

/**
 * Rolls out many tasks and hands over each tree as soon as it is complete, which with `trees` above 1 need not
 * be the order of the tasks. An error of `onTree` stops the run once the trees under way are done; an abort
 * begins no further tree.
 */
export async function rolloutAll<Data, Obs, Act>(
  tasks: Iterable<Task<Data>>,
  options: RolloutAllOptions<Data, Obs, Act>,
  onTree: (tree: Tree<Data, Obs, Act>) => void | Promise<void>,
): Promise<void> {
  const { trees = 1, ...each } = options;
  wholeFrom(1, "rolloutAll", "trees", trees);
  const { signal, done } = following(each.signal);
  const followed = each.signal === undefined ? each : { ...each, signal };
  try {
    await forEachPooled(tasks, trees, async (task) => {
      if (!signal.aborted) await onTree(await rollout(task, followed));
    });
  } finally {
    done();
  }
}
