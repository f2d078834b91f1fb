import { expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { SeedSequence } from "../../../../envs/frozen-lake/numpy/seed-sequence.ts";

test("seed 42 gives numpy's pool and state", () => {
  const sequence = new SeedSequence(42);
  expect([...sequence.pool]).toEqual([1662858758, 128880814, 1875164712, 753753205]);
  const words = sequence.generateState(8);
  const pairs = [0, 2, 4, 6].map((i) => (BigInt(words[i + 1]!) << 32n) | BigInt(words[i]!));
  expect(pairs).toEqual([
    11465652750463011511n,
    15382171918060459190n,
    9018504550953525431n,
    3703499796004394495n,
  ]);
});

test("a bigint is the same seed as its number, and may be longer than four words", () => {
  for (const seed of [0, 1, 42, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    expect(new SeedSequence(BigInt(seed)).pool).toEqual(new SeedSequence(seed).pool);
  }
  // np.random.SeedSequence(2**200 + 12345).pool
  expect([...new SeedSequence(2n ** 200n + 12345n).pool]).toEqual([
    1578158438, 104462638, 2959420289, 1845150323,
  ]);
});

// np.random.SeedSequence(2**53 - 1).pool and (2**32).pool
test("seeds of two words give numpy's pool", () => {
  expect([...new SeedSequence(2 ** 53 - 1).pool]).toEqual([1301629072, 3387832842, 2622825337, 218432523]);
  expect([...new SeedSequence(2 ** 32).pool]).toEqual([3774083058, 3704433742, 401706016, 2609690843]);
});

test.each([-1, 1.5, 2 ** 53, Number.NaN, -1n])("seed %s is refused by name", (seed) => {
  expect(() => new SeedSequence(seed)).toThrow(InputError);
  expect(() => new SeedSequence(seed)).toThrow(/`seed`/);
});
