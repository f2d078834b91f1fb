import { describe, expect, test } from "vitest";
import { bestOf, clearlyBelow, estimate, rowsOf } from "../../../cli/compare/stats.ts";
import { cell } from "./cells.ts";

describe("an estimate, by hand", () => {
  test("mean and standard error of four values", () => {
    // Deviations -1.5, -0.5, 0.5, 1.5: squares sum to 5, over n - 1 = 3, over n = 4, and the root of it.
    const { mean, se, n } = estimate([1, 2, 3, 4]);
    expect([mean, n]).toEqual([2.5, 4]);
    expect(se).toBeCloseTo(Math.sqrt(5 / 3 / 4), 15);
  });

  test("of two values the standard error is half of their distance", () => {
    expect(estimate([0.2, 0.6])).toEqual({ mean: 0.4, se: expect.closeTo(0.2, 15), n: 2 });
  });

  test("equal values have none, and a single one has no standard error", () => {
    expect(estimate([0.5, 0.5, 0.5])).toEqual({ mean: 0.5, se: 0, n: 3 });
    expect(estimate([0.5])).toEqual({ mean: 0.5, se: Number.NaN, n: 1 });
  });
});

test("a row is a variant over its seeds: success by quarter, Pass@4 at the end, mixed over the whole curve", () => {
  const cells = [
    cell({ seed: 0 }, [0, 0.1, 0.2, 0.4], { pass: 0.5, mixed: [0.1, 0.3] }),
    cell({ method: "patr" }, [0, 0, 0, 1]),
    cell({ seed: 1 }, [0.2, 0.3, 0.4, 0.8], { pass: 0.7, mixed: [0.5, 0.7] }),
    cell({ setting: "n=4" }, [0, 0, 0, 0]),
  ];
  const rows = rowsOf(cells);
  expect(rows.map(({ method, setting, cells: own }) => [method, setting, own.length])).toEqual([
    ["grpo", "n=2", 2],
    ["patr", "n=2", 1],
    ["grpo", "n=4", 1],
  ]);
  const [{ success, pass, mixed }] = rows as [(typeof rows)[number]];
  expect(success.map(({ mean }) => mean)).toEqual(
    [0.1, 0.2, 0.3, 0.6].map((mean) => expect.closeTo(mean, 12)),
  );
  expect(success.map(({ se }) => se)).toEqual([0.1, 0.1, 0.1, 0.2].map((se) => expect.closeTo(se, 12)));
  expect(pass).toEqual({ mean: expect.closeTo(0.6, 12), se: expect.closeTo(0.1, 12), n: 2 });
  expect(mixed).toEqual({ mean: expect.closeTo(0.4, 12), se: expect.closeTo(0.2, 12), n: 2 });
});

test("the best setting of a method is the one with the highest success at the end, the earlier of equals", () => {
  const rows = rowsOf([
    cell({ setting: "a" }, [0.9, 0.3]),
    cell({ setting: "b" }, [0.1, 0.4]),
    cell({ setting: "c" }, [0.1, 0.4]),
    cell({ method: "patr", setting: "d" }, [1, 1]),
  ]);
  expect(bestOf(rows, "grpo")!.setting).toBe("b");
  expect(bestOf(rows, "patr")!.setting).toBe("d");
  expect(bestOf(rows, "dapo")).toBeUndefined();
});

test("clearly below: the two intervals of two standard errors do not touch", () => {
  const of = (mean: number, se: number) => ({ mean, se, n: 3 });
  expect(clearlyBelow(of(0.25, 0.0625), of(0.625, 0.0625))).toBe(true);
  expect(clearlyBelow(of(0.25, 0.0625), of(0.5, 0.0625))).toBe(false);
  expect(clearlyBelow(of(0.625, 0.0625), of(0.25, 0.0625))).toBe(false);
  expect(clearlyBelow(of(0.25, Number.NaN), of(0.75, 0))).toBe(false);
});
