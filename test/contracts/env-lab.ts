import fc from "fast-check";
import type { Env, MakeEnv, Step } from "../../core/env.ts";
import { EpisodeError } from "../../core/errors.ts";
import type { Task } from "../../core/task.ts";

/** What an author says about an Env so that the laws can be tried on it. */
export interface EnvContract<Data, Obs, Act> {
  /** A fresh Env, not reset. */
  readonly make: MakeEnv<Data, Obs, Act>;
  /** Tasks to play, at least one. */
  readonly tasks: readonly Task<Data>[];
  /** Any action, valid or not. */
  readonly action: fc.Arbitrary<Act>;
  /** An episode that ends with the last of its actions, and not before. */
  readonly ending: { readonly task: Task<Data>; readonly seed: number; readonly actions: readonly Act[] };
  /**
   * Whether chance decides anything after `reset`. If it does, forks with other seeds must differ in some case; if not,
   * a fork with a seed must go on exactly as one without. Not said: neither is asked.
   */
  readonly noisy?: boolean;
  /** Laws that this Env cannot keep: name of the law to the reason in words. */
  readonly skip?: Readonly<Record<string, string>>;
  /** Random cases tried per law. @default 50 */
  readonly numRuns?: number;
  /** Repeat one case: what a failure printed. */
  readonly replay?: { readonly seed: number; readonly path?: string };
}

/** Rejects if the Env breaks it. */
export type Law = <Data, Obs, Act>(contract: EnvContract<Data, Obs, Act>) => Promise<void>;

/** What a law is tried on. */
export interface Case<Data, Act> {
  readonly task: Task<Data>;
  /** From 0 to 2^53 - 2, so that the next one is a seed too. */
  readonly seed: number;
  /** Played before the snapshot. */
  readonly before: readonly Act[];
  /** Played after it. */
  readonly after: readonly Act[];
  /** Played by somebody else. */
  readonly other: readonly Act[];
}

/** Opens a fresh Env, or adopts a fork; all are closed when the case is over. */
export type Open<Data, Obs, Act> = (fork?: Promise<Env<Data, Obs, Act>>) => Promise<Env<Data, Obs, Act>>;

export async function forAll<Data, Obs, Act>(
  contract: EnvContract<Data, Obs, Act>,
  law: (open: Open<Data, Obs, Act>, input: Case<Data, Act>) => Promise<void>,
): Promise<void> {
  const { tasks, action, numRuns = 50, replay } = contract;
  const actions = fc.array(action, { maxLength: 12 });
  const input = fc.record({
    task: fc.constantFrom(...tasks),
    seed: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 }),
    before: actions,
    after: fc.array(action, { minLength: 1, maxLength: 12 }),
    other: actions,
  });
  const property = fc.asyncProperty(input, (value) => once(contract, (open) => law(open, value)));
  await fc.assert(property, { numRuns, ...replay });
}

export async function once<Data, Obs, Act>(
  { make }: EnvContract<Data, Obs, Act>,
  law: (open: Open<Data, Obs, Act>) => Promise<void>,
): Promise<void> {
  const opened: Env<Data, Obs, Act>[] = [];
  try {
    await law(async (fork) => {
      const env = await (fork ?? make());
      opened.push(env);
      return env;
    });
  } finally {
    for (const env of opened) await env.close();
  }
}

/** A fresh Env that was reset and has played `actions`. */
export async function started<Data, Obs, Act>(
  open: Open<Data, Obs, Act>,
  task: Task<Data>,
  seed: number,
  actions: readonly Act[],
): Promise<Env<Data, Obs, Act>> {
  const env = await open();
  await env.reset({ task, seed });
  await play(env, actions);
  return env;
}

/**
 * Steps until the actions are used up or the episode ends, and shows each step as it comes. An Env that had ended
 * already plays nothing.
 */
export async function play<Data, Obs, Act>(
  env: Env<Data, Obs, Act>,
  actions: readonly Act[],
  see: (step: Step<Obs>) => void = () => {},
): Promise<Step<Obs>[]> {
  const steps: Step<Obs>[] = [];
  for (const action of actions) {
    const step = await env.step(action).catch((error: unknown) => {
      if (steps.length === 0 && error instanceof EpisodeError) return undefined;
      throw error;
    });
    if (step === undefined) break;
    steps.push(step);
    see(step);
    if (step.end !== undefined) break;
  }
  return steps;
}
