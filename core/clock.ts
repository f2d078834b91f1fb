/** Time comes in by argument, so that tests need not wait. */
export interface Clock {
  /** Milliseconds from any fixed point, never going back. */
  now(): number;
}

export const systemClock: Clock = { now: () => performance.now() };
