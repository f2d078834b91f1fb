import { createHash } from "node:crypto";
import seedrandom from "seedrandom";

/** The state of an {@link Rng}: plain JSON, so that it travels in snapshots and records. */
export type RngState = { readonly c: number; readonly s0: number; readonly s1: number; readonly s2: number };

/** A stream of random numbers (seedrandom's Alea) whose state can be saved. */
export interface Rng {
  /** The next number in [0, 1), with 53 random bits. */
  next(): number;
  /** The next whole number from 0 up to `n` - 1. */
  below(n: number): number;
  /** The state; {@link restoreRng} goes on from it. */
  state(): RngState;
}

/** A stream that depends on the seed alone. */
export function createRng(seed: number | string): Rng {
  return wrap(seedrandom.alea(String(seed), { state: true }));
}

/** The stream that goes on where `state` was saved. */
export function restoreRng(state: RngState): Rng {
  return wrap(seedrandom.alea("", { state: { ...state } }));
}

function wrap(alea: seedrandom.StatefulPRNG<RngState>): Rng {
  return {
    next: () => alea.double(),
    below: (n) => Math.floor(alea.double() * n),
    state: () => alea.state(),
  };
}

/**
 * A seed that depends on every part and on their order: the first 53 bits of SHA-256 over the parts as JSON.
 * Seeds are derived by hashing, never by counting up, so that neighbours share nothing.
 */
export function deriveSeed(...parts: readonly (number | string)[]): number {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest();
  return hash.readUIntBE(0, 6) * 32 + (hash[6]! >> 3);
}

/** `items` in random order; the input stays as it is. */
export function shuffled<T>(items: readonly T[], rng: Rng): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = rng.below(i + 1);
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}
