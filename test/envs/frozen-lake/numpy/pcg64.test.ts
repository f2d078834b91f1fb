import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { isPcg64State, Pcg64 } from "../../../../envs/frozen-lake/numpy/pcg64.ts";

const seeds = fc.maxSafeNat();

test("seed 42 gives numpy's numbers", () => {
  const rng = Pcg64.seeded(42);
  expect([1, 2, 3, 4, 5].map(() => rng.random())).toEqual([
    0.7739560485559633, 0.4388784397520523, 0.8585979199113825, 0.6973680290593639, 0.09417734788764953,
  ]);
  const zero = Pcg64.seeded(0);
  expect([1, 2, 3].map(() => zero.random())).toEqual([
    0.6369616873214543, 0.2697867137638703, 0.04097352393619469,
  ]);
});

test("seed 42 gives numpy's 64-bit words", () => {
  const rng = Pcg64.seeded(42);
  const words = [1, 2, 3].map(() => {
    const [high, low] = rng.uint64();
    return (BigInt(high) << 32n) | BigInt(low);
  });
  expect(words).toEqual([14276969152011380360n, 8095878257575067585n, 15838336090824644132n]);
});

test("seed 42 gives numpy's state and increment", () => {
  const words = Pcg64.seeded(42).save();
  const join = (from: number): bigint =>
    words.slice(from, from + 4).reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
  expect(join(0)).toBe(274674114334540486603088602300644985544n);
  expect(join(4)).toBe(332724090758049132448979897138935081983n);
  expect(words.slice(8)).toEqual([0, 0]);
});

// g = np.random.default_rng(7); int(g.integers(0, h)) and float(g.random()) in turn
test("integers keeps half a draw back, and random does not use it", () => {
  const rng = Pcg64.seeded(7);
  const drawn = [10, 2 ** 32, 3, 1, 2 ** 31 + 1].flatMap((high) => [rng.integers(0, high), rng.random()]);
  expect(drawn).toEqual([
    9, 0.8972138009695755, 2684764585, 0.7756856902451935, 2, 0.30016628491122543, 0, 0.8735534453962619,
    483628757, 0.005265304565574724,
  ]);
});

// g = np.random.default_rng(2**53 - 1); 200 times int(g.integers(0, 3000000000)): three in ten are drawn again
test("integers rejects as numpy does", () => {
  const rng = Pcg64.seeded(2 ** 53 - 1);
  const drawn = Array.from({ length: 200 }, () => rng.integers(0, 3_000_000_000));
  expect(drawn.slice(0, 4)).toEqual([185258492, 2358804319, 2482574087, 1818909714]);
  expect(drawn.slice(-2)).toEqual([2506330274, 2194904]);
  expect(drawn.reduce((sum, draw) => sum + draw)).toBe(314600708203);
});

test("the arithmetic agrees with BigInt for any seed", () => {
  const multiplier = 0x2360ed051fc65da44385df649fccf645n;
  const mask128 = (1n << 128n) - 1n;
  fc.assert(
    fc.property(seeds, (seed) => {
      const rng = Pcg64.seeded(seed);
      const words = rng.save().map(BigInt);
      const join = (from: number): bigint =>
        words.slice(from, from + 4).reduce((sum, w) => (sum << 32n) | w, 0n);
      let state = join(0);
      const increment = join(4);
      for (let i = 0; i < 20; i++) {
        state = (state * multiplier + increment) & mask128;
        const folded = ((state >> 64n) ^ state) & 0xffff_ffff_ffff_ffffn;
        const by = state >> 122n;
        const output = ((folded >> by) | (folded << (64n - by))) & 0xffff_ffff_ffff_ffffn;
        const [high, low] = rng.uint64();
        expect((BigInt(high) << 32n) | BigInt(low)).toBe(output);
      }
    }),
  );
});

test("a saved generator goes on as the original would, through JSON and with half a draw kept back", () => {
  fc.assert(
    fc.property(seeds, fc.array(fc.boolean()), (seed, draws) => {
      const rng = Pcg64.seeded(seed);
      for (const whole of draws) whole ? rng.random() : rng.integers(0, 6);
      const state: unknown = JSON.parse(JSON.stringify(rng.save()));
      if (!isPcg64State(state)) throw new Error("not a state");
      const copy = new Pcg64(state);
      for (let i = 0; i < 4; i++) {
        expect(copy.integers(0, 1000)).toBe(rng.integers(0, 1000));
        expect(copy.random()).toBe(rng.random());
      }
    }),
  );
});

test("numbers stay in their bounds", () => {
  fc.assert(
    fc.property(
      seeds,
      fc.integer({ min: -1000, max: 1000 }),
      fc.integer({ min: 1, max: 2 ** 32 }),
      (seed, low, n) => {
        const rng = Pcg64.seeded(seed);
        const whole = rng.integers(low, low + n);
        expect(whole >= low && whole < low + n && Number.isInteger(whole)).toBe(true);
        const real = rng.uniform(0.6, 0.85);
        expect(real >= 0.6 && real < 0.85).toBe(true);
      },
    ),
  );
});

test.each([
  [0, 0],
  [3, 2],
  [0, 2 ** 32 + 1],
  [0.5, 2],
  [0, Number.NaN],
])("integers(%s, %s) is refused", (low, high) => {
  expect(() => Pcg64.seeded(1).integers(low, high)).toThrow(InputError);
});

test.each([
  [null],
  [[]],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  [[0, 0, 0, 2 ** 32, 0, 0, 0, 1, 0, 0]],
  [[0, 0, 0, -1, 0, 0, 0, 1, 0, 0]],
  [[0, 0, 0, "1", 0, 0, 0, 1, 0, 0]],
  [[0, 0, 0, 0, 0, 0, 0, 1, 2, 0]],
  [[0, 0, 0, 0, 0, 0, 0, 1, 0, 7]],
  [[0, 0, 0, 0, 0, 0, 0, 1, 0]],
])("%j is no saved state", (value) => {
  expect(isPcg64State(value)).toBe(false);
});
