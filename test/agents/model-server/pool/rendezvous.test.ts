import fc from "fast-check";
import { expect, test } from "vitest";
import { rendezvous } from "../../../../agents/model-server/pool/rendezvous.ts";

const places = fc
  .uniqueArray(fc.string({ maxLength: 6 }), { minLength: 2, maxLength: 6 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) => fc.record({ id: fc.constant(id), weight: fc.integer({ min: 1, max: 100 }) })),
    ),
  );

test("losing a place moves only the keys it had", () => {
  fc.assert(
    fc.property(places, fc.string(), fc.nat(), (all, key, pick) => {
      const lost = all[pick % all.length]!;
      const before = rendezvous(key, all);
      const after = rendezvous(
        key,
        all.filter((place) => place !== lost),
      );
      expect(after).toEqual(before.filter((place) => place !== lost));
    }),
  );
});

test("the order in which places are given does not matter", () => {
  fc.assert(
    fc.property(places, fc.string(), (all, key) => {
      expect(rendezvous(key, [...all].reverse())).toEqual(rendezvous(key, all));
    }),
  );
});

test("places get keys in proportion to their weight", () => {
  const all = [1, 2, 5].map((weight) => ({ id: `w${weight}`, weight }));
  const got = new Map<string, number>();
  for (let n = 0; n < 8000; n++) {
    const { id } = rendezvous(`tree ${n}`, all)[0]!;
    got.set(id, (got.get(id) ?? 0) + 1);
  }
  // Within five standard deviations of 1000, 2000 and 5000.
  expect(Math.abs(got.get("w1")! - 1000)).toBeLessThan(150);
  expect(Math.abs(got.get("w2")! - 2000)).toBeLessThan(195);
  expect(Math.abs(got.get("w5")! - 5000)).toBeLessThan(220);
});
