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
  /** Share of all episodes that were won. */
  readonly success: number;
  /** Share of the tasks won in at least one of the samples: Pass@4 for four. */
  readonly pass: number;
}

/** Plays every task of a set independently, `samples` times. An episode that failed for other reasons is not won. */
export async function evaluate<Data, Obs, Act>(
  options: EvaluateOptions<Data, Obs, Act>,
): Promise<Evaluation> {
  const { tasks, samples = 4, policy, env, seed } = options;
  let [wins, passes] = [0, 0];
  for (const task of tasksOf(tasks)) {
    const { leaves } = await rollout(task, { env, policy, seed, strategy: independent({ n: samples }) });
    const won = leaves.filter(({ reward }) => reward !== undefined && reward > 0).length;
    wins += won;
    if (won > 0) passes++;
  }
  return { success: wins / (tasks.size * samples), pass: passes / tasks.size };
}
