import { expect, test } from "vitest";
import { emptyBudget } from "../../../core/rollout/budget.ts";
import { Summing, summarize } from "../../../core/run/report.ts";
import { type TinyTree, tinyTree } from "../../training/tiny-tree.ts";

const budget = (envSteps: number, seconds: number) => ({ ...emptyBudget(), envSteps, forks: 2, seconds });

/** Won once in three, leaves at turns 3, 3 and 1. */
const mixed: TinyTree = {
  ...tinyTree([
    {
      turns: [0, 0],
      next: [
        { turns: [1], reward: 1 },
        { turns: [2], reward: 0, end: "failure" },
      ],
    },
    { turns: [1], reward: 0, end: "failure" },
  ]),
  budget: budget(5, 0.5),
};
/** Lost, and one leaf without a reward. */
const broken: TinyTree = {
  ...tinyTree([
    { turns: [0, 1], reward: 0, end: "turn-limit" },
    { turns: [0], end: "error" },
  ]),
  budget: budget(3, 0.25),
  problems: ["branch 1, after turn 1: gone"],
};

test("counts, shares and means are over what is named", () => {
  expect(summarize([mixed, broken])).toEqual({
    trees: 2,
    incomplete: 1,
    leaves: 5,
    success: 1 / 4,
    solved: 1 / 2,
    mixed: 1 / 2,
    turns: (3 + 3 + 1 + 2 + 1) / 5,
    ends: { success: 1, failure: 2, "turn-limit": 1, error: 1 },
    budget: { ...emptyBudget(), envSteps: 8, forks: 4, seconds: 0.75 },
  });
});

test("leaves that are all won are not mixed, and a reward between counts as won", () => {
  const won = tinyTree([
    { turns: [0], reward: 0.25 },
    { turns: [0], reward: 0.25 },
  ]);
  expect(summarize([won])).toMatchObject({ success: 1, solved: 1, mixed: 0 });
});

test("nothing at all has no shares", () => {
  const { trees, leaves, success, solved, mixed: share, turns } = summarize([]);
  expect([trees, leaves, success, solved, share, turns]).toEqual([
    0,
    0,
    Number.NaN,
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
});

test("one tree at a time comes to the same, and a summary stays as it is", () => {
  const summing = new Summing();
  summing.add(mixed);
  const early = summing.summary();
  summing.add(broken);
  expect(early).toEqual(summarize([mixed]));
  expect(summing.summary()).toEqual(summarize([mixed, broken]));
});
