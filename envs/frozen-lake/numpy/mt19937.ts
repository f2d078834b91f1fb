import { InputError } from "../../../core/errors.ts";

const WORDS = 624;

/**
 * The parts of numpy's legacy `RandomState` (MT19937) that old data scripts lean on, bit for bit:
 * `np.random.seed`, `randint` and `uniform`. For making task rows, not for new randomness.
 * Source: NumPy 2.x `numpy/random/src/mt19937` and `src/distributions/distributions.c`.
 */
export class Mt19937 {
  readonly #state: Uint32Array = new Uint32Array(WORDS);
  #used = WORDS;

  /** `np.random.seed(seed)`. @throws {InputError} unless `seed` is a whole number from 0 to 2^32 - 1. */
  constructor(seed: number) {
    if (seed !== seed >>> 0) {
      throw new InputError(`numpy: expected \`seed\` to be a whole number from 0 to 2^32 - 1, got ${seed}`);
    }
    let word = seed;
    for (let i = 0; i < WORDS; i++) {
      this.#state[i] = word;
      word = Math.imul(1812433253, word ^ (word >>> 30)) + i + 1;
    }
  }

  /**
   * `randint(low, high, n)`: n whole numbers from `low` to `high` - 1, each by masked rejection on 32-bit draws.
   * @throws {InputError} unless both are safe integers and 1 <= high - low <= 2^32.
   */
  randint(low: number, high: number, n: number): number[] {
    const last = high - low - 1;
    if (!(Number.isSafeInteger(low) && Number.isSafeInteger(high) && last >= 0 && last < 2 ** 32)) {
      throw new InputError(
        `numpy: expected \`high\` - \`low\` to be from 1 to 2^32, got low ${low} and high ${high}`,
      );
    }
    if (last === 0) return new Array<number>(n).fill(low);
    const mask = 0xffff_ffff >>> Math.clz32(last);
    return Array.from({ length: n }, () => {
      let value = (this.#uint32() & mask) >>> 0;
      while (value > last) value = (this.#uint32() & mask) >>> 0;
      return low + value;
    });
  }

  /** `uniform(low, high, n)`: n numbers in [low, high), 53 random bits each. */
  uniform(low: number, high: number, n: number): number[] {
    return Array.from({ length: n }, () => low + (high - low) * this.#double());
  }

  #double(): number {
    const high = this.#uint32() >>> 5;
    const low = this.#uint32() >>> 6;
    return (high * 0x400_0000 + low) / 2 ** 53;
  }

  #uint32(): number {
    if (this.#used === WORDS) this.#refill();
    let word = this.#state[this.#used++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #refill(): void {
    const state = this.#state;
    for (let i = 0; i < WORDS; i++) {
      const joined = (state[i]! & 0x8000_0000) | (state[(i + 1) % WORDS]! & 0x7fff_ffff);
      state[i] = state[(i + 397) % WORDS]! ^ (joined >>> 1) ^ ((joined & 1) * 0x9908b0df);
    }
    this.#used = 0;
  }
}
