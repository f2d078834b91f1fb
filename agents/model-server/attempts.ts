import { setTimeout as sleep } from "node:timers/promises";
import { ServerError } from "./errors.ts";
import type { Sample } from "./model-server.ts";
import type { FailedAttempt } from "./sample-record.ts";

/** No wait for a server is longer, whatever it says. */
const LONGEST_WAIT_MS = 60_000;

/** A sample and how it came to be. */
export interface Attempted {
  readonly sample: Sample;
  readonly seed: number;
  readonly failed: readonly FailedAttempt[];
}

/**
 * Samples, and up to `retries` times again if the server fails: each time with another seed, for it is another sample.
 * What the server refused is not asked again. Before a retry it waits as long as the server said, else `waitMs`.
 */
export async function attempt(
  sample: (seed: number) => Promise<Sample>,
  nextSeed: () => number,
  {
    retries,
    waitMs,
    signal,
  }: { readonly retries: number; readonly waitMs: number; readonly signal: AbortSignal },
): Promise<Attempted> {
  const failed: FailedAttempt[] = [];
  for (;;) {
    const seed = nextSeed();
    try {
      return { sample: await sample(seed), seed, failed };
    } catch (error) {
      if (!(error instanceof ServerError) || error.fault === "refused" || failed.length >= retries)
        throw error;
      failed.push({ seed, fault: error.fault, message: error.message });
      await pause(Math.min(error.retryAfterMs ?? waitMs, LONGEST_WAIT_MS), signal);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}
