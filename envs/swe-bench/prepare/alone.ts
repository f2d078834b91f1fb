import { mkdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { InputError } from "../../../core/errors.ts";
import { ForeignLock, lock } from "../../../core/run/lock.ts";

const POLL_MS = 100;

/** A name beside `path`, hidden from a plain listing. */
export function beside(path: string, kind: string): string {
  return join(dirname(path), `.${basename(path)}.${kind}`);
}

/**
 * Makes `path` with nobody else at it, in this process or another of this machine; the others wait. `work` gets an
 * empty folder beside `path`, which is removed in the end unless `work` moved it; so is one that a killed process left.
 */
export async function makeAlone<T>(
  path: string,
  signal: AbortSignal | undefined,
  work: (part: string) => Promise<T>,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const unlock = await lockPatiently(beside(path, "lock"), signal);
  const part = beside(path, "part");
  const clear = () => rm(part, { recursive: true, force: true, maxRetries: 3 });
  try {
    await clear();
    await mkdir(part);
    return await work(part);
  } finally {
    await clear().finally(unlock);
  }
}

async function lockPatiently(path: string, signal?: AbortSignal): Promise<() => Promise<void>> {
  while (true) {
    signal?.throwIfAborted();
    try {
      return await lock(path);
    } catch (error) {
      // Held by one that is alive, and what it makes we need not. Of one elsewhere nobody knows when it ends.
      if (!(error instanceof InputError) || error instanceof ForeignLock) throw error;
      await setTimeout(POLL_MS, undefined, signal && { signal }).catch(() => {});
    }
  }
}
