import { onlyKnown, wholeFrom } from "../check.ts";
import { InputError } from "../errors.ts";
import type { Task } from "../task.ts";
import type { RolloutOptions } from "./engine.ts";
import type { Limits } from "./limits.ts";

const LIMITS: Record<keyof Limits, true> = {
  turns: true,
  treeTurns: true,
  turnMs: true,
  treeMs: true,
  closeMs: true,
};

const OPTIONS: Record<keyof RolloutOptions<unknown, unknown, unknown>, true> = {
  env: true,
  policy: true,
  strategy: true,
  scorer: true,
  seed: true,
  limits: true,
  signal: true,
  concurrency: true,
  clock: true,
  tracer: true,
};

/** Checks that a rollout was given all its parts and nothing that it does not know. @throws {InputError} */
export function checkGiven<Data, Obs, Act>(
  task: Task<Data> | undefined,
  options: RolloutOptions<Data, Obs, Act>,
): void {
  onlyKnown("rollout", options, OPTIONS);
  const { env, policy, strategy, scorer, limits = {} } = options;
  onlyKnown("rollout: `limits`", limits, LIMITS);
  need("task", typeof task?.id === "string", "a task with an `id`", task);
  need("env", typeof env === "function", "a function that makes an Env", env);
  need("policy", typeof policy?.act === "function", "a policy, an object with `act`", policy);
  const isStrategy = typeof strategy === "object" && strategy !== null;
  need("strategy", isStrategy, "a strategy, patr() for example", strategy);
  wholeFrom(0, "rollout", "strategy.roots", strategy.roots);
  if (scorer !== undefined)
    need("scorer", typeof scorer?.score === "function", "a scorer, an object with `score`", scorer);
}

function need(name: string, isThere: boolean, expected: string, got: unknown): void {
  if (isThere) return;
  throw new InputError(`rollout: expected \`${name}\` to be ${expected}, got ${wordFor(got)}`);
}

/** In one word: a policy may be large, or refer to itself. */
function wordFor(value: unknown): string {
  if (value === undefined || value === null || typeof value === "number") return String(value);
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}
