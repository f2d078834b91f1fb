import { InputError } from "../../../core/errors.ts";

const POOL_WORDS = 4;

/**
 * numpy's SeedSequence for one whole number: spreads a seed over a pool of four 32-bit words, from which a
 * generator draws its first state. Source: NumPy 2.x `numpy/random/bit_generator.pyx`, after M. O'Neill's
 * seed_seq_fe.
 */
export class SeedSequence {
  /** The mixed entropy: 4 unsigned 32-bit words. */
  readonly pool: Uint32Array = new Uint32Array(POOL_WORDS);

  /** @throws {InputError} if `seed` is not a whole number from 0 up (to 2^53 - 1 as a number, any size as a bigint). */
  constructor(seed: number | bigint) {
    const words = seedWords(seed);
    const { pool } = this;
    let hashConstant = 0x43b0d7e5;
    const hashed = (word: number): number => {
      let value = word ^ hashConstant;
      hashConstant = Math.imul(hashConstant, 0x931e8875);
      value = Math.imul(value, hashConstant);
      return value ^ (value >>> 16);
    };
    for (let i = 0; i < POOL_WORDS; i++) pool[i] = hashed(words[i] ?? 0);
    for (let from = 0; from < POOL_WORDS; from++) {
      for (let to = 0; to < POOL_WORDS; to++) {
        if (from !== to) pool[to] = mixed(pool[to]!, hashed(pool[from]!));
      }
    }
    for (let from = POOL_WORDS; from < words.length; from++) {
      for (let to = 0; to < POOL_WORDS; to++) pool[to] = mixed(pool[to]!, hashed(words[from]!));
    }
  }

  /** The first `count` unsigned 32-bit words of state; two in a row are a 64-bit word, its low half first. */
  generateState(count: number): Uint32Array {
    const state = new Uint32Array(count);
    let hashConstant = 0x8b51f9dd;
    for (let i = 0; i < count; i++) {
      let value = this.pool[i % POOL_WORDS]! ^ hashConstant;
      hashConstant = Math.imul(hashConstant, 0x58f38ded);
      value = Math.imul(value, hashConstant);
      state[i] = value ^ (value >>> 16);
    }
    return state;
  }
}

function mixed(x: number, y: number): number {
  const value = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) | 0;
  return value ^ (value >>> 16);
}

/** The seed's 32-bit words, lowest first; 0 is one word. */
function seedWords(seed: number | bigint): number[] {
  if (typeof seed === "number") {
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new InputError(`numpy: expected \`seed\` to be a whole number from 0 to 2^53 - 1, got ${seed}`);
    }
    const high = Math.floor(seed / 0x1_0000_0000);
    return high === 0 ? [seed] : [seed >>> 0, high];
  }
  if (seed < 0n) throw new InputError(`numpy: expected \`seed\` to be 0 or more, got ${seed}`);
  const words: number[] = [];
  for (let rest = seed; rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffff_ffffn));
  return words.length === 0 ? [0] : words;
}
