import { setMaxListeners } from "node:events";
import { wholeFrom } from "../check.ts";
import { ForkGymError } from "../errors.ts";

/**
 * Limits of one tree. They are looked at in this order after each turn: the environment's own end, `turns`,
 * the strategy's `stuck`; `treeMs` and then `treeTurns` before each turn. `turnMs`, `treeMs` and an abort also end
 * the waiting for whatever does not answer; an answer that comes later is left out, and a late Env is closed.
 */
export interface Limits {
  /** Turns of a branch; reaching it ends the branch with `turn-limit`. @default none, the environment's own */
  readonly turns?: number;
  /**
   * Turns of all branches together. What is left is shared evenly among the branches that start from a checkpoint (or
   * from the root), so that the tree is the same for any concurrency. A branch that has used its share waits until
   * the others have ended, stand at a checkpoint or have used theirs; what they left is shared again among those that
   * wait. When nothing is left, all active branches end with `turn-limit`, unscored; a checkpoint expands only as far
   * as there is a turn for each branch, and of the initial branches no more begin than there are turns. @default none
   */
  readonly treeTurns?: number;
  /**
   * Milliseconds for one thing that a branch waits for: making and resetting the Env; a decision and its step, with
   * the fork that the branch begins with; a score; `settle`. Going over it makes the branch a leaf with an error, or
   * is a missing score. @default none
   */
  readonly turnMs?: number;
  /**
   * Milliseconds for the whole tree; branches still active then end with `time-limit`. One that waits for its policy
   * ends at once; for a step under way and for outcomes there are `closeMs` more. A branch that took no turn of its
   * own by then has no reward, unless it stands for its parent. @default none
   */
  readonly treeMs?: number;
  /**
   * Milliseconds, once the tree is done, for closing each Env that is still open and for the forks and releases that
   * are under way on it. After that it is left behind and a problem noted. @default 30000
   */
  readonly closeMs?: number;
}

/** The default of {@link Limits.closeMs}. */
export const CLOSE_MS = 30_000;

export function checkLimits({ turns, treeTurns, turnMs, treeMs, closeMs }: Limits): void {
  if (treeTurns !== undefined) wholeFrom(1, "rollout", "limits.treeTurns", treeTurns);
  if (turns !== undefined) wholeFrom(1, "rollout", "limits.turns", turns);
  if (turnMs !== undefined) wholeFrom(1, "rollout", "limits.turnMs", turnMs);
  if (treeMs !== undefined) wholeFrom(1, "rollout", "limits.treeMs", treeMs);
  if (closeMs !== undefined) wholeFrom(1, "rollout", "limits.closeMs", closeMs);
}

/**
 * Settles as `work` does, or rejects after `ms`, or as soon as `signal` aborts. `work` is given a signal that
 * aborts when its result is no longer wanted.
 * @param what is waited for, for the message.
 */
export function within<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ms: number | undefined,
  signal: AbortSignal,
  what: string,
): Promise<T> {
  // Without a limit the caller's own signal will do: one more a turn is most of what a turn costs.
  return ms === undefined ? untilAborted(work, signal) : untilLate(work, ms, signal, what);
}

async function untilLate<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ms: number,
  signal: AbortSignal,
  what: string,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const timer = after(ms, () =>
    controller.abort(new ForkGymError(`rollout: ${what} took longer than ${ms} ms`)),
  );
  try {
    return await untilAborted(work, controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

async function untilAborted<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const cut = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    const done = work(signal);
    done.catch(() => {});
    return await Promise.race([done, cut]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A signal that is on until `done` is called. */
export interface Following {
  readonly signal: AbortSignal;
  done(): void;
}

/**
 * A signal that follows `signal`, if there is one, and bears any number of listeners.
 * @param limit aborts it after so many milliseconds, too.
 */
export function following(
  signal: AbortSignal | undefined,
  limit?: { readonly ms: number; readonly reason: Error },
): Following {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const stop = () => controller.abort(signal?.reason);
  if (signal?.aborted) stop();
  else signal?.addEventListener("abort", stop, { once: true });
  const timer = limit && after(limit.ms, () => controller.abort(limit.reason));
  return {
    signal: controller.signal,
    done: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    },
  };
}

/** The longest that a timer can wait, 24 days: one that is asked for more would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Calls `then` after so many milliseconds. */
export function after(ms: number, then: () => void): NodeJS.Timeout {
  return setTimeout(then, Math.min(ms, LONGEST_MS));
}
