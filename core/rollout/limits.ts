import { setMaxListeners } from "node:events";
import { wholeFrom } from "../check.ts";
import { ForkGymError } from "../errors.ts";

/**
 * Limits of one tree. They are looked at in this order after each turn: the environment's own end, `turns`,
 * the strategy's `stuck`; `treeTurns` and `treeMs` before each turn; `turnMs` during it.
 */
export interface Limits {
  /** Turns of a branch; reaching it ends the branch with `turn-limit`. @default none, the environment's own */
  readonly turns?: number;
  /**
   * Turns of all branches together. What is left is shared evenly among the branches that start from a checkpoint (or
   * from the root), so that the tree is the same for any concurrency; a branch that has used its share ends with
   * `turn-limit`. @default none
   */
  readonly treeTurns?: number;
  /** Milliseconds for one decision and its step. Going over it makes the branch a leaf with an error. @default none */
  readonly turnMs?: number;
  /** Milliseconds for the whole tree; branches still active then end with `time-limit`. @default none */
  readonly treeMs?: number;
}

export function checkLimits({ turns, treeTurns, turnMs, treeMs }: Limits): void {
  if (treeTurns !== undefined) wholeFrom(1, "rollout", "limits.treeTurns", treeTurns);
  if (turns !== undefined) wholeFrom(1, "rollout", "limits.turns", turns);
  if (turnMs !== undefined) wholeFrom(1, "rollout", "limits.turnMs", turnMs);
  if (treeMs !== undefined) wholeFrom(1, "rollout", "limits.treeMs", treeMs);
}

/**
 * Settles as `work` does, or rejects after `ms`, or as soon as `signal` aborts. `work` is given a signal that
 * aborts when its result is no longer wanted.
 */
export function within<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ms: number | undefined,
  signal: AbortSignal,
): Promise<T> {
  // Without a limit the caller's own signal will do: one more a turn is most of what a turn costs.
  return ms === undefined ? untilAborted(work, signal) : untilLate(work, ms, signal);
}

async function untilLate<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ms: number,
  signal: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const late = () => controller.abort(new ForkGymError(`rollout: the turn took longer than ${ms} ms`));
  const timer = setTimeout(late, ms);
  try {
    return await untilAborted(work, controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

async function untilAborted<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const cut = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const done = work(signal);
  done.catch(() => {});
  try {
    return await Promise.race([done, cut]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A signal that follows `signal`, if there is one, and bears any number of listeners. Call `done` when it is over. */
export function following(signal: AbortSignal | undefined): { readonly signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const stop = () => controller.abort(signal?.reason);
  if (signal?.aborted) stop();
  else signal?.addEventListener("abort", stop, { once: true });
  return { signal: controller.signal, done: () => signal?.removeEventListener("abort", stop) };
}
