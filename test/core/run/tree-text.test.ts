import { expect, test } from "vitest";
import { emptyBudget } from "../../../core/rollout/budget.ts";
import { treeText } from "../../../core/run/tree-text.ts";
import { grown, lineTree } from "./trees.ts";

test("a tree as a person reads it", () => {
  const budget = { ...emptyBudget(), envSteps: 7, forks: 2, snapshots: 1 };
  expect(treeText({ ...grown, budget, scorer: "distance" }).split("\n")).toEqual([
    "tiny, seed 1: by-hand with tiny and scorer distance",
    "├─ 0  turns 1-2: 0 1 → score 0.90, expand",
    "│  ├─ 0.0  turn 3: 2 → success, reward 1",
    "│  └─ 0.1  turns 3-4: 0 0 → failure, reward 0",
    "└─ 1  turns 1-2: 2 2 → score 0.10, prune, pruned-score, reward 0",
    "3 leaves, 7 env steps, 2 forks, 1 snapshots",
  ]);
});

test("problems come last, and a branch without a turn says so", () => {
  const tree = {
    ...lineTree([], { end: "error", error: "gone" }),
    problems: ["branch 0: gone", "close: late"],
  };
  expect(treeText(tree).split("\n").slice(1)).toEqual([
    "└─ 0  no turn:  → error, gone",
    "1 leaves, 0 env steps, 0 forks, 0 snapshots",
    "problem: branch 0: gone",
    "problem: close: late",
  ]);
});

test("long runs of actions keep their head and tail", () => {
  const actions = Array.from({ length: 60 }, (_, turn) => `a${turn}`);
  const line = treeText(lineTree(actions, { end: "turn-limit", reward: 0 })).split("\n")[1]!;
  expect(line).toMatch(/^└─ 0 {2}turns 1-60: a0 a1 a2 .* … .* a58 a59 → turn-limit, reward 0$/);
  expect(line.length).toBeLessThan(180);
  const short = treeText(lineTree(actions.slice(0, 30), { end: "turn-limit", reward: 0 }));
  expect(short).toContain(actions.slice(0, 30).join(" "));
});

test("an action with line breaks does not break the drawing", () => {
  expect(treeText(lineTree(["a\nb"], { end: "success", reward: 1 })).split("\n")).toHaveLength(3);
});
