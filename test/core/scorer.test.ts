import { expect, test } from "vitest";
import { mix, type Scorer } from "../../core/scorer.ts";

const input = {
  task: { id: "t", data: null },
  node: { branch: "0", turn: 1, observation: "o", reward: 0, repeats: 1 },
  signal: new AbortController().signal,
};
const says = (score: number | undefined): Scorer<null, string, string> => ({
  name: `says ${score}`,
  score: () => score,
});

test("lambda * judge + (1 - lambda) * heuristic", async () => {
  const mixed = mix([
    { scorer: says(1), weight: 0.3 },
    { scorer: says(0.5), weight: 0.7 },
  ]);
  expect(await mixed.score(input)).toBeCloseTo(0.65);
  expect(mixed.name).toBe("mix(0.3*says 1+0.7*says 0.5)");
});

test("a part without a score is left out, and with none there is none", async () => {
  const parts = (...scores: (number | undefined)[]) =>
    mix(scores.map((score) => ({ scorer: says(score), weight: 2 })));
  expect(await parts(undefined, 0.4).score(input)).toBeCloseTo(0.4);
  expect(await parts(undefined, undefined).score(input)).toBeUndefined();
});

test("a part's score that is no number is named, not taken for 0", async () => {
  const mixed = mix([
    { scorer: says(null as never), weight: 1 },
    { scorer: says(0.4), weight: 1 },
  ]);
  await expect(mixed.score(input)).rejects.toThrow("mix: says null: expected a score from 0 to 1, got null");
});

test("bad weights are named", () => {
  expect(() => mix([])).toThrow("mix: expected at least one scorer, got none");
  expect(() => mix([{ scorer: says(1), weight: 0 }])).toThrow(
    "mix: expected a positive `weight` for says 1, got 0",
  );
});

test("where asked for, there is no score unless every part has one; the name says so", async () => {
  const parts = (...scores: (number | undefined)[]) =>
    mix(
      scores.map((score) => ({ scorer: says(score), weight: 1 })),
      { missing: "none" },
    );
  expect(await parts(undefined, 0.4).score(input)).toBeUndefined();
  expect(await parts(0.2, 0.4).score(input)).toBeCloseTo(0.3);
  expect(parts(1).name).toBe("mix(1*says 1, all or none)");
  expect(() => mix([{ scorer: says(1), weight: 1 }], { missing: "zero" as never })).toThrow(
    "mix: expected `missing` to be one of others, none, got zero",
  );
});
