import fc from "fast-check";
import { expect, test } from "vitest";
import { AGGREGATES, aggregated } from "../../../agents/prm/aggregate.ts";

const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 50 });

test("each way on one example", () => {
  const found = AGGREGATES.map((how) => [how, aggregated([0.9, 0.1, 0.4], how)]);
  expect(Object.fromEntries(found)).toEqual({
    last: 0.4,
    mean: expect.closeTo(1.4 / 3, 12),
    max: 0.9,
    min: 0.1,
    weighted: expect.closeTo((0.9 + 0.2 + 1.2) / 6, 12),
  });
});

test("every way lies between the least and the greatest, and is the score itself where all are alike", () => {
  fc.assert(
    fc.property(scores, fc.constantFrom(...AGGREGATES), (list, how) => {
      const score = aggregated(list, how);
      expect(score).toBeGreaterThanOrEqual(Math.min(...list));
      expect(score).toBeLessThanOrEqual(Math.max(...list));
      expect(aggregated(list.fill(0.3), how)).toBe(0.3);
    }),
  );
});

test("order matters to last and weighted alone", () => {
  fc.assert(
    fc.property(scores, (list) => {
      for (const how of ["mean", "max", "min"] as const) {
        expect(aggregated(list.toReversed(), how)).toBeCloseTo(aggregated(list, how), 12);
      }
      const rising = list.toSorted((a, b) => a - b);
      expect(aggregated(rising, "weighted")).toBeGreaterThanOrEqual(
        aggregated(rising.toReversed(), "weighted") - 1e-12,
      );
      expect(aggregated(list, "last")).toBe(list.at(-1));
    }),
  );
});
