import { expect, test } from "vitest";
import { percent, summaryLines, table } from "../../cli/tables.ts";
import { emptyBudget } from "../../core/rollout/budget.ts";

test("columns are as wide as their widest cell, and three at least", () => {
  expect(
    table(
      ["a", "title"],
      [
        ["longer", "x"],
        ["b", "± 1"],
      ],
    ),
  ).toBe(["| a      | title |", "| ------ | ----- |", "| longer | x     |", "| b      | ± 1   |"].join("\n"));
  expect(table(["a"], [])).toBe("| a   |\n| --- |");
});

test("a share in percent, a dash where there is none", () => {
  expect([0, 0.5, 0.1234, 1, Number.NaN].map(percent)).toEqual(["0.0%", "50.0%", "12.3%", "100.0%", "-"]);
});

test("a run in three lines", () => {
  const summary = {
    trees: 3,
    incomplete: 0,
    leaves: 8,
    success: 0.25,
    solved: 1 / 3,
    mixed: 0,
    turns: 4.5,
    ends: { success: 2, "turn-limit": 6 } as const,
    budget: {
      ...emptyBudget(),
      envSteps: 40,
      resets: 3,
      snapshots: 4,
      forks: 5,
      scorerCalls: 6,
      seconds: 0.26,
    },
  };
  expect(summaryLines(summary)).toEqual([
    "3 trees; 8 leaves: 2 success, 6 turn-limit",
    "leaves won 25.0%, tasks won at least once 33.3%, mixed groups 0.0%, turns a leaf 4.50",
    "40 env steps, 3 resets, 4 snapshots, 5 forks, 6 scores, 0.3 s",
  ]);
  expect(summaryLines({ ...summary, leaves: 0, turns: Number.NaN })[1]).toMatch(/turns a leaf -$/);
  expect(summaryLines({ ...summary, incomplete: 2 })[0]).toBe(
    "3 trees, 2 of them with problems; 8 leaves: 2 success, 6 turn-limit",
  );
});
