import { expect, test } from "vitest";
import { sumBudgets } from "../../../core/rollout/budget.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { checkRecord, digestOf, toRecord, toTree } from "../../../core/run/record.ts";
import { summarize } from "../../../core/run/report.ts";
import { mix, type ScoreReport, type Scorer } from "../../../core/scorer.ts";
import type { LineData } from "../../fakes/line-env.ts";
import { byPath, essence, grow } from "./growing.ts";

type LineScorer = Scorer<LineData, string, string>;

const strategy = patr({ branches: 2, every: 2, top: 1 });
const usage = { promptTokens: 10, generatedTokens: 3, cachedTokens: 4 };

/** The same scores; each says what it cost, and some that they lack a part. */
const costly: LineScorer = {
  name: "costly",
  score(input) {
    input.report!({ usage });
    input.report!({ usage: { promptTokens: 1, generatedTokens: 1 } });
    if (input.node.branch.endsWith("1")) input.report!({ fault: "timeout" });
    if (input.node.branch === "0") input.report!({ fault: "unreadable" });
    return byPath.score(input);
  },
};

test("what scorers report is in the tree's budget and problems, by cause", async () => {
  const { budget, problems, ...tree } = await grow(5, { strategy, scorer: costly });
  const { scorerCalls } = budget;
  expect(scorerCalls).toBeGreaterThan(2);
  expect(budget).toMatchObject({
    scorerPromptTokens: 11 * scorerCalls,
    scorerGeneratedTokens: 4 * scorerCalls,
    scorerCachedTokens: 4 * scorerCalls,
  });
  const scored = tree.checkpoints.flatMap(({ routings }) => routings.map(({ branch }) => branch));
  const timeouts = scored.filter((branch) => branch.endsWith("1")).length;
  const unreadable = scored.filter((branch) => branch === "0").length;
  expect(timeouts * unreadable).toBeGreaterThan(0);
  expect(problems).toEqual([
    `scorer costly: timeout (${timeouts})`,
    `scorer costly: unreadable (${unreadable})`,
  ]);
});

test("a tree whose scorer reports nothing has the record that it always had", async () => {
  const plain = await grow(5, { strategy });
  expect(Object.keys(plain.budget).filter((key) => /scorer/.test(key))).toEqual(["scorerCalls"]);
  expect(plain.problems).toEqual([]);
});

test("a record with a scorer's tokens survives JSON, and one whose tokens are no number is refused", async () => {
  const record = toRecord(await grow(5, { strategy, scorer: costly }));
  const again = checkRecord(JSON.parse(JSON.stringify(record)), "a line");
  expect(again).toEqual(record);
  expect(digestOf(again)).toBe(record.digest);
  const spoilt = { ...record, budget: { ...record.budget, scorerPromptTokens: "9" } };
  expect(() => checkRecord(spoilt, "a line")).toThrow(
    'a line: expected `budget.scorerPromptTokens` to be a number, got "9"',
  );
});

test("budgets with and without a scorer's tokens add up", async () => {
  const [plain, paid] = [await grow(5, { strategy }), await grow(5, { strategy, scorer: costly })];
  const total = sumBudgets([plain.budget, paid.budget, paid.budget]);
  expect(total.scorerPromptTokens).toBe(2 * paid.budget.scorerPromptTokens!);
  expect(total.turns).toBe(plain.budget.turns + 2 * paid.budget.turns);
  const { seconds: _, ...counts } = total;
  expect(summarize([plain, paid, toTree(toRecord(paid))]).budget).toMatchObject(counts);
});

test("the parts of a mixture report for themselves, and the tree is the same for any concurrency", async () => {
  const scorer = mix([
    { scorer: costly, weight: 1 },
    { scorer: costly, weight: 1 },
  ]);
  const [all, one] = await Promise.all(
    [9, 1].map((concurrency) => grow(5, { strategy, scorer, concurrency })),
  );
  expect(all!.budget.scorerPromptTokens).toBe(22 * all!.budget.scorerCalls);
  expect(essence(all!)).toEqual(essence(one!));
});

test("what is reported after an abort is not in the tree, which is done", async () => {
  const abort = new AbortController();
  let tell: ((report: ScoreReport) => void) | undefined;
  const scorer: LineScorer = {
    name: "slow",
    score({ report }) {
      tell = report;
      abort.abort();
      return new Promise(() => {});
    },
  };
  const tree = await grow(5, { strategy, scorer, signal: abort.signal });
  const before = JSON.stringify(toRecord(tree));
  tell!({ usage, fault: "late" });
  expect(JSON.stringify(toRecord(tree))).toBe(before);
});
