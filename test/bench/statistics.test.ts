import { expect, test } from "vitest";
import { median, percentile, ratioSummary } from "../../bench/statistics.ts";

test("percentiles are interpolated between neighbours, whatever the order of the values", () => {
  const values = [40, 10, 30, 20, 50];
  expect(percentile(values, 0)).toBe(10);
  expect(percentile(values, 0.1)).toBeCloseTo(14, 12);
  expect(percentile(values, 0.5)).toBe(30);
  expect(percentile(values, 0.9)).toBeCloseTo(46, 12);
  expect(percentile(values, 1)).toBe(50);
  expect(values).toEqual([40, 10, 30, 20, 50]);
});

test("numbers are sorted as numbers", () => {
  expect(median([100, 9, 20])).toBe(20);
});

test("the median of an even count is the mean of the middle two", () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("one value is every percentile, and none has none", () => {
  expect([percentile([7], 0.1), percentile([7], 0.9)]).toEqual([7, 7]);
  expect(median([])).toBeNaN();
});

test("a ratio is taken within each round, so that noise which slows both sides cancels out", () => {
  const ours = [10, 100, 10];
  const peer = [200, 2000, 200];
  expect(ratioSummary(ours, peer)).toEqual({ median: 20, p10: 20, p90: 20, rounds: 3 });
});

test("a ratio's spread is that of the rounds", () => {
  const ours = Array.from({ length: 11 }, () => 1);
  const peer = Array.from({ length: 11 }, (_, round) => round + 1);
  expect(ratioSummary(ours, peer)).toEqual({ median: 6, p10: 2, p90: 10, rounds: 11 });
});

test("sides with different numbers of rounds are refused", () => {
  expect(() => ratioSummary([1, 2], [1])).toThrow(RangeError);
});
