import { describe, expect, test } from "vitest";
import type { Env, Step } from "../../../core/env.ts";
import type { Decision, Policy } from "../../../core/policy.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { checkRecord, toRecord } from "../../../core/run/record.ts";
import { mix, type Scorer } from "../../../core/scorer.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";
import { byPath, grow, type LineTree, task, wander } from "./growing.ts";

/** As a run folder would write and read it. */
function expectReadable(tree: LineTree): void {
  checkRecord(JSON.parse(JSON.stringify(toRecord(tree))), "a line");
}

describe("a policy's odd answer is an error of that branch alone", () => {
  const answers: [string, unknown, string][] = [
    ["none", undefined, "expected a decision, an object with an `action`, got undefined"],
    ["a bare action", "a", 'expected a decision, an object with an `action`, got "a"'],
    ["no action", {}, "expected `action` to be JSON, got undefined"],
    [
      "a function",
      { action: Math.max },
      "expected `action` to be JSON, got function max() { [native code] }",
    ],
    ["a big integer", { action: 3n }, "expected `action` to be JSON, got 3"],
    [
      "usage without a count",
      { action: "a", usage: { generatedTokens: 3 } },
      "expected `usage.promptTokens` to be a number from 0 up, got undefined",
    ],
    [
      "NaN tokens",
      { action: "a", usage: { promptTokens: 3, generatedTokens: Number.NaN } },
      "expected `usage.generatedTokens` to be a number from 0 up, got NaN",
    ],
    [
      "endless cached tokens",
      {
        action: "a",
        usage: { promptTokens: 3, generatedTokens: 1, cachedTokens: Number.POSITIVE_INFINITY },
      },
      "expected `usage.cachedTokens` to be a number from 0 up, got Infinity",
    ],
  ];
  test.each(answers)("%s", async (_, answer, message) => {
    const policy: Policy<LineData, string, string> = {
      name: "odd",
      act: (turn) =>
        turn.branch === "1" && turn.node.turn === 1 ? (answer as Decision<string>) : wander.act(turn),
    };
    const tree = await grow(3, { strategy: independent({ n: 2 }), policy });
    expect(tree.leaves.map(({ end, node, error }) => [end, node.turn, error])).toEqual([
      ["turn-limit", 3, undefined],
      ["error", 1, `policy odd: ${message}`],
    ]);
    expect(tree.budget).toMatchObject({ turns: 4, envSteps: 4, promptTokens: 0, generatedTokens: 0 });
    expectReadable(tree);
  });

  test("usage of null is no usage", async () => {
    const policy: Policy<LineData, string, string> = {
      name: "null",
      act: () => ({ action: "win", usage: null as never }),
    };
    const tree = await grow(3, { strategy: independent({ n: 1 }), policy });
    expect([tree.leaves[0]!.end, tree.problems]).toEqual(["success", []]);
    expectReadable(tree);
  });
});

describe("an Env's odd answer is an error of that branch", () => {
  async function stepping(change: (step: Step<string>) => unknown, settle?: unknown): Promise<LineTree> {
    const env = () => {
      const line = new LineWorld().make() as Env<LineData, string, string>;
      const step = line.step.bind(line);
      line.step = async (action) => change(await step(action)) as Step<string>;
      if (settle !== undefined) line.settle = async () => settle as never;
      return line;
    };
    const strategy = independent({ n: 1 });
    return rollout(task(3), { env, policy: wander, strategy, seed: 1, limits: { turns: 2 } });
  }
  const ends = "success, failure, turn-limit, time-limit";
  const steps: [string, (step: Step<string>) => unknown, string][] = [
    ["no step", () => undefined, "expected step to give an object with a `reward`, got undefined"],
    ["a NaN reward", (s) => ({ ...s, reward: Number.NaN }), "expected a finite reward, got NaN"],
    ["a reward in words", (s) => ({ ...s, reward: "1" }), 'expected a finite reward, got "1"'],
    [
      "an end of its own",
      (s) => ({ ...s, end: "done" }),
      `expected \`end\` to be one of ${ends}, or to be left out, got "done"`,
    ],
    [
      "a boolean end",
      (s) => ({ ...s, end: false }),
      `expected \`end\` to be one of ${ends}, or to be left out, got false`,
    ],
    [
      "an end that every object has",
      (s) => ({ ...s, end: "toString" }),
      `expected \`end\` to be one of ${ends}, or to be left out, got "toString"`,
    ],
    [
      "rewards beyond all numbers",
      (s) => ({
        ...s,
        reward: Number.MAX_VALUE,
        ...(s.observation.split("/").length > 2 && { end: "success" }),
      }),
      "expected rewards with a finite sum, got Infinity",
    ],
  ];
  test.each(steps)("%s", async (_, change, message) => {
    const tree = await stepping(change);
    expect(tree.leaves).toMatchObject([{ end: "error", error: `env: ${message}` }]);
    expectReadable(tree);
  });

  test("an end of null is none", async () => {
    const tree = await stepping((step) => ({ end: null, ...step }));
    expect(tree.leaves).toMatchObject([{ end: "turn-limit", reward: 0.25, node: { turn: 2 } }]);
    expect(tree.nodes.some((node) => "end" in node)).toBe(false);
    expectReadable(tree);
  });

  test.each([[null], [{ reward: null }], [{}]])("a settlement of %o", async (settlement) => {
    const tree = await stepping((step) => step, settlement);
    const got = settlement !== null && "reward" in settlement ? "null" : "undefined";
    expect(tree.leaves[0]!.error).toBe(`env: expected a finite reward from settle, got ${got}`);
  });
});

describe("a scorer's odd answer is a missing score, and a problem", () => {
  const scoring = (score: unknown): Scorer<LineData, string, string> => ({
    name: "odd",
    score: ({ node }) => (node.branch === "0" ? (score as number) : 0.9),
  });

  test.each([
    [null, "null"],
    ["0.1", '"0.1"'],
    [false, "false"],
    [[0], "[0]"],
  ])("%o neither prunes nor expands", async (score, got) => {
    const strategy = patr({ every: 2, alpha: 0.1 });
    const tree = await grow(3, { strategy, scorer: scoring(score) });
    expect(tree.checkpoints[0]!.routings[0]).toEqual({ branch: "0", route: "survive" });
    expect(tree.problems).toEqual([`scorer odd, branch 0, turn 2: expected a score from 0 to 1, got ${got}`]);
    expectReadable(tree);
  });

  test("also as a part of a mixture, where it names the part", async () => {
    const mixed = mix([
      { scorer: scoring(null), weight: 1 },
      { scorer: byPath, weight: 1 },
    ]);
    const tree = await grow(3, { strategy: patr({ every: 2 }), scorer: mixed });
    expect(tree.checkpoints[0]!.routings[0]).toEqual({ branch: "0", route: "survive" });
    expect(tree.problems[0]).toMatch(/branch 0, turn 2: mix: odd: expected a score from 0 to 1, got null$/);
  });

  test("a cost that is no number is a problem and not in the budget; the score counts", async () => {
    const scorer: Scorer<LineData, string, string> = {
      name: "costly",
      score: ({ report }) => {
        report!({ usage: { promptTokens: Number.NaN, generatedTokens: 1 } });
        return 0.5;
      },
    };
    const tree = await grow(3, { strategy: patr({ branches: 1, every: 2 }), scorer });
    expect(tree.checkpoints[0]!.routings).toMatchObject([{ score: 0.5 }]);
    expect(tree.problems).toEqual([
      "scorer costly, branch 0, turn 2: what it reported: expected `usage.promptTokens` to be a number from 0 up, got NaN",
    ]);
    expectReadable(tree);
  });
});
