import fc from "fast-check";
import { expect, test } from "vitest";
import { createRng, deriveSeed, restoreRng, shuffled } from "../../core/rng.ts";

test("a saved state goes on where it was saved, through JSON too", () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat({ max: 50 }), (seed, drawn) => {
      const rng = createRng(seed);
      for (let i = 0; i < drawn; i++) rng.next();
      const copy = restoreRng(JSON.parse(JSON.stringify(rng.state())));
      expect([copy.next(), copy.below(7), copy.next()]).toEqual([rng.next(), rng.below(7), rng.next()]);
    }),
  );
});

test("the stream for a seed never changes: records depend on it", () => {
  const rng = createRng(42);
  expect([rng.next(), rng.next(), rng.below(1000)]).toMatchInlineSnapshot(`
    [
      0.6848634964661496,
      0.8455933186223463,
      563,
    ]
  `);
  expect(deriveSeed(1, "task", "0.1", "env")).toMatchInlineSnapshot(`7341629321578900`);
});

test("numbers stay in range and reach both ends", () => {
  const rng = createRng("range");
  const seen = new Set(Array.from({ length: 2000 }, () => rng.below(5)));
  expect([...seen].sort()).toEqual([0, 1, 2, 3, 4]);
});

test("derived seeds are whole numbers below 2^53 and depend on every part, its type and its place", () => {
  const part = fc.oneof(fc.nat(), fc.string());
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), fc.array(part, { maxLength: 4 }), (a, b) => {
      const seed = deriveSeed(...a);
      expect(Number.isSafeInteger(seed) && seed >= 0).toBe(true);
      expect(seed === deriveSeed(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
  );
  expect(deriveSeed("a", "b")).not.toBe(deriveSeed("ab"));
  expect(deriveSeed(1, 2)).not.toBe(deriveSeed("1", 2));
});

test("shuffling keeps the items and leaves its input alone", () => {
  const items = [1, 2, 3, 4, 5, 6];
  const out = shuffled(items, createRng(3));
  expect([...out].sort()).toEqual(items);
  expect(out).not.toEqual(items);
  expect(items).toEqual([1, 2, 3, 4, 5, 6]);
});
