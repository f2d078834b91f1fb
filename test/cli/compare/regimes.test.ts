import { expect, test } from "vitest";
import { configOf, frozenLakeRegimes, partsOf } from "../../../cli/compare/regimes.ts";
import { tinyRegime } from "./cells.ts";

test("regimes cost the same: 240,000 env steps", () => {
  expect(frozenLakeRegimes.map(({ name }) => name)).toEqual(["hard", "rllm"]);
  for (const { updates, stepsPerUpdate } of frozenLakeRegimes) expect(updates * stepsPerUpdate).toBe(240_000);
});

test("a regime's sets belong to one environment, are different, and bring their interval", () => {
  const every = frozenLakeRegimes.map((regime) => {
    const parts = partsOf(regime);
    expect([parts.kit.name, parts.train.name, parts.test.name]).toEqual([
      "frozen-lake",
      regime.train,
      regime.test,
    ]);
    expect([parts.train.size, parts.test.size]).toEqual([10_000, 100]);
    return parts.every;
  });
  expect(every).toEqual([4, 5]);
  expect(() => partsOf({ ...tinyRegime, test: "chess" })).toThrow('no task set "chess"');
});

test("a run's config holds the regime and the digests of its sets", () => {
  const digest = "1d03f16057b7dfc9e316a65c4422b094d81ac2bf65f6cab1c1093ec2bd0ffc20";
  expect(configOf(tinyRegime)).toEqual({ ...tinyRegime, every: 5, trainDigest: digest, testDigest: digest });
});
