import { InputError } from "../../../core/errors.ts";
import { SeedSequence } from "./seed-sequence.ts";

// The 128-bit multiplier 0x2360ed05_1fc65da4_4385df64_9fccf645 in 16-bit digits, lowest first.
const M0 = 0xf645;
const M1 = 0x9fcc;
const M2 = 0xdf64;
const M3 = 0x4385;
const M4 = 0x5da4;
const M5 = 0x1fc6;
const M6 = 0xed05;
const M7 = 0x2360;
const TWO_32 = 0x1_0000_0000;
const UNIT_53 = 2 ** -53;

/**
 * A saved generator, ten whole numbers from 0 to 2^32 - 1: the 128-bit state and the 128-bit increment, each
 * as four words with the highest first; 1 if half a draw is kept back, else 0; and that half, else 0.
 */
export type Pcg64State = readonly number[];

/** Whether a value read from outside is a {@link Pcg64State}. */
export function isPcg64State(value: unknown): value is Pcg64State {
  if (!Array.isArray(value) || value.length !== 10) return false;
  for (let i = 0; i < 10; i++) {
    if (value[i] !== value[i] >>> 0) return false;
  }
  return (value[7] & 1) === 1 && value[8] <= 1 && (value[8] === 1 || value[9] === 0);
}

/**
 * numpy's `default_rng`: Generator(PCG64), that is PCG XSL-RR 128/64, bit for bit. The 128-bit arithmetic is
 * done on 32-bit words in plain numbers, which is far quicker than BigInt.
 * Source: NumPy 2.x `numpy/random/src/pcg64` and `src/distributions/distributions.c`.
 */
export class Pcg64 {
  // State and increment as signed 32-bit words (small integers to the engine), 3 the highest.
  #s3: number;
  #s2: number;
  #s1: number;
  #s0: number;
  readonly #i3: number;
  readonly #i2: number;
  readonly #i1: number;
  readonly #i0: number;
  #hasHalf: boolean;
  #half: number;
  // The last 64-bit output.
  #high = 0;
  #low = 0;

  /** Goes on where `state` was saved. The state is trusted: check what comes from outside with {@link isPcg64State}. */
  constructor(state: Pcg64State) {
    this.#s3 = state[0]! | 0;
    this.#s2 = state[1]! | 0;
    this.#s1 = state[2]! | 0;
    this.#s0 = state[3]! | 0;
    this.#i3 = state[4]! | 0;
    this.#i2 = state[5]! | 0;
    this.#i1 = state[6]! | 0;
    this.#i0 = state[7]! | 0;
    this.#hasHalf = state[8] === 1;
    this.#half = state[9]! | 0;
  }

  /** `numpy.random.default_rng(seed)`. @throws {InputError} if `seed` is not a whole number from 0 up. */
  static seeded(seed: number | bigint): Pcg64 {
    // Two 128-bit numbers, start and stream. The words come as 64-bit pairs: high pair first, low half first.
    const words = new SeedSequence(seed).generateState(8);
    const start = [words[1]!, words[0]!, words[3]!, words[2]!];
    const stream = [words[5]!, words[4]!, words[7]!, words[6]!];
    const increment = stream.map((word, i) => ((word << 1) | (i === 3 ? 1 : stream[i + 1]! >>> 31)) >>> 0);
    // From state 0 one step gives the increment; then the start is added and a second step made.
    const sum = add128(start, increment);
    const rng = new Pcg64([...sum, ...increment, 0, 0]);
    rng.#advance();
    return rng;
  }

  /** The state as plain JSON; the constructor goes on from it. */
  save(): Pcg64State {
    return [
      this.#s3 >>> 0,
      this.#s2 >>> 0,
      this.#s1 >>> 0,
      this.#s0 >>> 0,
      this.#i3 >>> 0,
      this.#i2 >>> 0,
      this.#i1 >>> 0,
      this.#i0 >>> 0,
      this.#hasHalf ? 1 : 0,
      this.#hasHalf ? this.#half >>> 0 : 0,
    ];
  }

  /** `Generator.random()`: a number in [0, 1) with 53 random bits. A half kept back stays where it is. */
  random(): number {
    this.#draw();
    return ((this.#high >>> 0) * 0x20_0000 + (this.#low >>> 11)) * UNIT_53;
  }

  /** `Generator.uniform(low, high)`. */
  uniform(low: number, high: number): number {
    return low + (high - low) * this.random();
  }

  /** The next 64 bits as two unsigned halves, `[high, low]`. */
  uint64(): [high: number, low: number] {
    this.#draw();
    return [this.#high >>> 0, this.#low >>> 0];
  }

  /**
   * `Generator.integers(low, high)`: a whole number from `low` to `high` - 1, by Lemire's method on 32 bits.
   * A range of one number draws nothing.
   * @throws {InputError} unless both are safe integers and 1 <= high - low <= 2^32.
   */
  integers(low: number, high: number): number {
    const count = high - low;
    if (!(Number.isSafeInteger(low) && Number.isSafeInteger(high) && count >= 1 && count <= TWO_32)) {
      throw new InputError(
        `numpy: expected \`high\` - \`low\` to be from 1 to 2^32, got low ${low} and high ${high}`,
      );
    }
    if (count === 1) return low;
    if (count === TWO_32) return low + this.#uint32();
    let draw = this.#uint32();
    let rest = Math.imul(draw, count) >>> 0;
    if (rest < count) {
      const threshold = (TWO_32 - count) % count;
      while (rest < threshold) {
        draw = this.#uint32();
        rest = Math.imul(draw, count) >>> 0;
      }
    }
    return low + mulHigh(draw, count);
  }

  /** 32 bits: the low half of a fresh draw, and at the next call its high half. */
  #uint32(): number {
    if (this.#hasHalf) {
      this.#hasHalf = false;
      return this.#half >>> 0;
    }
    this.#draw();
    this.#hasHalf = true;
    this.#half = this.#high;
    return this.#low >>> 0;
  }

  /** Steps, then folds the state to 64 bits and rotates them by its top six bits. */
  #draw(): void {
    this.#advance();
    const s3 = this.#s3;
    let high = s3 ^ this.#s1;
    let low = this.#s2 ^ this.#s0;
    if (s3 < 0) {
      const swap = high;
      high = low;
      low = swap;
    }
    const by = (s3 >>> 26) & 31;
    // A shift by 32 is a shift by 0 in JavaScript, hence the two shifts.
    this.#high = (high >>> by) | ((low << (31 - by)) << 1);
    this.#low = (low >>> by) | ((high << (31 - by)) << 1);
  }

  /**
   * state = state * multiplier + increment, modulo 2^128. A 32-bit word times a 16-bit digit is below 2^48, so
   * that the sums of such products below stay exact in plain numbers. `d1` stands 16 bits up, `d3` 48 and so on.
   */
  #advance(): void {
    const s0 = this.#s0 >>> 0;
    const s1 = this.#s1 >>> 0;
    const s2 = this.#s2 >>> 0;
    const s3 = this.#s3 >>> 0;
    const d1 = s0 * M1;
    const d3 = s0 * M3 + s1 * M1;
    const d5 = s0 * M5 + s1 * M3 + s2 * M1;
    const d7 = s0 * M7 + s1 * M5 + s2 * M3 + s3 * M1;
    const word0 = s0 * M0 + ((d1 << 16) >>> 0) + (this.#i0 >>> 0);
    const word1 =
      s0 * M2 +
      s1 * M0 +
      ((d3 << 16) >>> 0) +
      (this.#i1 >>> 0) +
      Math.floor(d1 * 2 ** -16) +
      Math.floor(word0 * 2 ** -32);
    const word2 =
      s0 * M4 +
      s1 * M2 +
      s2 * M0 +
      ((d5 << 16) >>> 0) +
      (this.#i2 >>> 0) +
      Math.floor(d3 * 2 ** -16) +
      Math.floor(word1 * 2 ** -32);
    const word3 =
      s0 * M6 +
      s1 * M4 +
      s2 * M2 +
      s3 * M0 +
      ((d7 << 16) >>> 0) +
      (this.#i3 >>> 0) +
      Math.floor(d5 * 2 ** -16) +
      Math.floor(word2 * 2 ** -32);
    this.#s0 = word0 | 0;
    this.#s1 = word1 | 0;
    this.#s2 = word2 | 0;
    this.#s3 = word3 | 0;
  }
}

/** The high 32 bits of the product of two unsigned 32-bit words, unsigned: by schoolbook on 16-bit halves. */
function mulHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) >>> 0;
  const cross = (Math.imul(aLow, bHigh) + (middle & 0xffff)) >>> 0;
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (cross >>> 16)) >>> 0;
}

/** The sum of two 128-bit numbers of four words each, highest first, modulo 2^128. */
function add128(a: readonly number[], b: readonly number[]): number[] {
  const sum = [0, 0, 0, 0];
  let carry = 0;
  for (let i = 3; i >= 0; i--) {
    const word = (a[i]! >>> 0) + (b[i]! >>> 0) + carry;
    sum[i] = word >>> 0;
    carry = word >= TWO_32 ? 1 : 0;
  }
  return sum;
}
