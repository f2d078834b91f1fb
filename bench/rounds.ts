/** Does about `count` operations and says how many nanoseconds one took. */
export type Block = (count: number) => Promise<number>;

/** One of the things that are measured against each other. */
export interface Side {
  readonly name: string;
  readonly block: Block;
}

export interface RoundOptions {
  readonly rounds: number;
  /** How long one block of one side shall take. */
  readonly blockMs: number;
}

/** A block is this often its own length in warm-up, so that compilers and caches have settled. */
const WARM_BLOCKS = 5;

/**
 * Nanoseconds per operation of every side in every round, by the side's name. All sides run one block a round,
 * one after the other; each round begins with the next side, so that none always follows the same one.
 */
export async function alternate(
  sides: readonly Side[],
  { rounds, blockMs }: RoundOptions,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const counts: number[] = [];
  for (const { block } of sides) counts.push(await calibrated(block, blockMs));
  const samples = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < sides.length; turn++) {
      const at = (round + turn) % sides.length;
      samples[at]!.push(await sides[at]!.block(counts[at]!));
    }
  }
  return new Map(sides.map(({ name }, at) => [name, samples[at]!]));
}

/** Warms a block up and says how many operations fill `blockMs`. */
async function calibrated(block: Block, blockMs: number): Promise<number> {
  const wanted = blockMs * 1e6;
  let count = 1;
  for (let spent = 0; ; ) {
    const ns = Math.max(1e-3, await block(count));
    spent += ns * count;
    const filling = Math.max(1, Math.round(wanted / ns));
    if (spent >= WARM_BLOCKS * wanted) return filling;
    count = Math.min(filling, count * 10);
  }
}

/** What one of `count` operations took, in nanoseconds, when all of them took from `startMs` until now. */
export function nsEach(startMs: number, count: number): number {
  return ((performance.now() - startMs) * 1e6) / count;
}
