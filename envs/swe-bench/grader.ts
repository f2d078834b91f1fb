import { InputError } from "../../core/errors.ts";
import { sha256 } from "../../core/json.ts";
import { type EvaluateOptions, type Evaluation, evaluate } from "./grading/evaluate.ts";
import type { SweInstance } from "./instance.ts";
import { whyUngradable } from "./rows/gradable.ts";

export interface GraderOptions extends Omit<EvaluateOptions, "signal"> {
  /** Evaluations at once. @default 2 */
  readonly workers?: number;
  /** Verdicts that are kept, those asked for last: leaves of a tree often have the same patch. @default 256 */
  readonly kept?: number;
}

/** Grades patches for many episodes at once: the same patch once, and only so many at a time. */
export interface Grader {
  /** @throws {InputError} if no patch of the instance could get a verdict. @default every instance can be graded */
  check?(instance: SweInstance): void;
  /** @param signal takes back the wish; an evaluation that nobody waits for any more is stopped. */
  grade(instance: SweInstance, patch: string, signal?: AbortSignal): Promise<Evaluation>;
}

interface Entry {
  readonly evaluation: Promise<Evaluation>;
  readonly stop: AbortController;
  numWaiting: number;
}

export function createGrader({ workers = 2, kept = 256, ...options }: GraderOptions): Grader {
  const known = new Map<string, Entry>();
  const waiting: (() => void)[] = [];
  let free = workers;

  async function inTurn(work: () => Promise<Evaluation>): Promise<Evaluation> {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free--;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  }

  function begin(key: string, instance: SweInstance, patch: string): Entry {
    const stop = new AbortController();
    const evaluation = inTurn(() => evaluate(instance, patch, { ...options, signal: stop.signal }));
    const entry = { evaluation, stop, numWaiting: 0 };
    const forget = () => known.get(key) === entry && known.delete(key);
    // What says nothing of the patch may go better next time.
    evaluation.then(({ outcome }) => outcome === "infrastructure" && forget(), forget);
    known.set(key, entry);
    if (known.size > kept) known.delete(known.keys().next().value!);
    return entry;
  }

  return {
    check(instance) {
      const why = whyUngradable(instance, options.rules);
      if (why !== undefined) throw new InputError(`swe-bench: ${instance.id} cannot be graded: ${why}`);
    },

    async grade(instance, patch, signal) {
      signal?.throwIfAborted();
      const key = `${instance.id} ${sha256(patch)}`;
      const entry = known.get(key) ?? begin(key, instance, patch);
      entry.numWaiting++;
      let leave: (() => void) | undefined;
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(signal!.reason);
        signal?.addEventListener("abort", leave, { once: true });
      });
      try {
        return await (signal === undefined ? entry.evaluation : Promise.race([entry.evaluation, left]));
      } finally {
        if (leave !== undefined) signal?.removeEventListener("abort", leave);
        if (--entry.numWaiting === 0) entry.stop.abort(signal?.reason);
      }
    },
  };
}
