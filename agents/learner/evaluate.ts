import type { MakeEnv } from "../../core/env.ts";
import type { Policy } from "../../core/policy.ts";
import { rollout } from "../../core/rollout/engine.ts";
import { independent } from "../../core/rollout/strategies/independent.ts";
import { type TaskSet, tasksOf } from "../../core/task.ts";

export interface EvaluateOptions<Data, Obs, Act> {
  readonly policy: Policy<Data, Obs, Act>;
  readonly env: MakeEnv<Data, Obs, Act>;
  readonly tasks: TaskSet<Data>;
  readonly seed: number;
  /** Episodes a task. @default 4, as PATR and rLLM report it */
  readonly samples?: number;
}

export interface Evaluation {
  /** Share of the episodes with an outcome that were won; NaN if there are none. */
  readonly success: number;
  /** Share of the tasks with an outcome that were won in at least one of the samples: Pass@4 for four. NaN if there are none. */
  readonly pass: number;
  /** Episodes that failed and have no outcome: the Env or the policy broke. They are neither won nor lost. */
  readonly failed: number;
}

/**
 * Plays every task of a set independently, `samples` times. Where episodes failed, `pass` has fewer samples of their
 * tasks than of the others: a result with `failed` above 0 is one to be taken with care, or again.
 */
export async function evaluate<Data, Obs, Act>(
  options: EvaluateOptions<Data, Obs, Act>,
): Promise<Evaluation> {
  const { tasks, samples = 4, policy, env, seed } = options;
  let [wins, passes, played, judged] = [0, 0, 0, 0];
  for (const task of tasksOf(tasks)) {
    const { leaves } = await rollout(task, { env, policy, seed, strategy: independent({ n: samples }) });
    const rewards = leaves.flatMap(({ reward }) => reward ?? []);
    const won = rewards.filter((reward) => reward > 0).length;
    wins += won;
    played += rewards.length;
    if (rewards.length > 0) judged++;
    if (won > 0) passes++;
  }
  return { success: wins / played, pass: passes / judged, failed: tasks.size * samples - played };
}
