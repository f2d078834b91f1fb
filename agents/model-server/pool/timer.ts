/** Calls `run` once, no sooner than after `ms` milliseconds; the function it returns takes that back. */
export type Timer = (ms: number, run: () => void) => () => void;

/** Node's own; what it waits for keeps the process alive. */
export const systemTimer: Timer = (ms, run) => {
  // Node fires at once when asked for more; whoever asked looks at the clock and asks again.
  const timeout = setTimeout(run, Math.min(ms, 2 ** 31 - 1));
  return () => clearTimeout(timeout);
};
