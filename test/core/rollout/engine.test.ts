import { describe, expect, test } from "vitest";
import { scripted } from "../../../agents/scripted.ts";
import type { Policy } from "../../../core/policy.ts";
import { rollout, rolloutAll } from "../../../core/rollout/engine.ts";
import { arpo } from "../../../core/rollout/strategies/arpo.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { treeRandom } from "../../../core/rollout/strategies/tree-random.ts";
import { pathTo } from "../../../core/rollout/tree.ts";
import type { Scorer } from "../../../core/scorer.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";

import { byPath, essence, expectClosed, grow, type LineTree, task, wander } from "./growing.ts";

describe("leaf arithmetic of the paper's settings: B0 + k (M - 1) floor((T - 1) / K)", () => {
  test.each([
    ["FrozenLake: T 10, K 5", 10, { every: 5 }, 6, 50],
    ["FrozenLake with the parent kept", 10, { every: 5, parent: "kept" as const }, 8, 60],
    ["SWE-bench: T 50, K 13", 50, { every: 13 }, 10, 344],
    ["M = 3", 50, { every: 13, children: 3 }, 16, 488],
    ["k = 4", 50, { every: 13, top: 4 }, 16, 488],
    ["K = 20", 50, { every: 20 }, 8, 280],
    ["k = 1, M = 4, T 16, K 4", 16, { every: 4, top: 1, children: 4 }, 13, 136],
  ])("%s", async (_, turns, options, leaves, steps) => {
    const growing = grow(turns, { strategy: patr(options) });
    const tree = await growing;
    expect(tree.leaves).toHaveLength(leaves);
    expect(tree.budget).toMatchObject({ turns: steps, envSteps: steps, resets: 1, forks: leaves - 1 });
    expect(tree.nodes).toHaveLength(steps + 1);
    expect(tree.problems).toEqual([]);
    expectClosed(growing.world);
  });

  test("GRPO's 8 episodes take 80 turns", async () => {
    const tree = await grow(10, { strategy: independent() });
    expect([tree.leaves.length, tree.budget.envSteps, tree.budget.snapshots]).toEqual([8, 80, 1]);
  });
});

test("the tree is the same for any concurrency and any delays", async () => {
  for (const strategy of [independent(), patr({ every: 3 }), treeRandom({ every: 2, top: 3 }), arpo()]) {
    const trees = [];
    for (const [concurrency, jitter] of [
      [1, undefined],
      [1, 5],
      [32, 6],
      [3, 7],
    ] as const) {
      const world = new LineWorld();
      world.jitter = jitter;
      const tree = await rollout(task(7), {
        env: world.make,
        policy: wander,
        scorer: byPath,
        strategy,
        seed: 9,
        concurrency,
      });
      expectClosed(world);
      trees.push(essence(tree));
    }
    for (const tree of trees) expect(tree).toEqual(trees[0]);
  }
});

test("another seed or another task gives another tree", async () => {
  const strategy = patr({ every: 2 });
  const observed = async (length: number, seed: number) =>
    (await grow(length, { strategy, seed })).leaves[0]!.node.observation;
  const [a, b, again] = [await observed(6, 1), await observed(6, 2), await observed(6, 1)];
  expect([a === again, a === b]).toEqual([true, false]);
});

test("children share their prefix, replace their parent and see fresh noise", async () => {
  const growing = grow(4, {
    strategy: patr({ branches: 2, every: 2, top: 1 }),
    policy: scripted(["a", "b", "c", "d"]),
  });
  const { branches, leaves } = await growing;
  expect(branches.map(({ path, from, seed }) => [path, from.branch, from.turn, seed === null])).toEqual([
    ["0", "", 0, true],
    ["1", "", 0, false],
    ["1.0", "1", 2, true],
    ["1.1", "1", 2, false],
  ]);
  expect(leaves.map(({ branch }) => branch)).toEqual(["0", "1.0", "1.1"]);
  const [, own, fork] = leaves.map(({ node }) => node.observation);
  expect(own!.slice(0, 6)).toBe(fork!.slice(0, 6));
  expect(own).not.toBe(fork);
  expect(pathTo(leaves[2]!.node).map(({ turn, branch }) => `${branch}@${turn}`)).toEqual([
    "@0",
    "1@1",
    "1@2",
    "1.1@3",
    "1.1@4",
  ]);
});

test("one of the children goes on in its parent's Env, and no snapshot is taken for a survivor", async () => {
  const growing = grow(4, { strategy: patr({ branches: 3, every: 2, top: 1, children: 3 }) });
  const { budget } = await growing;
  expect(budget).toMatchObject({ snapshots: 2, forks: 4 });
  expect(growing.world.opened).toBe(5);
});

test("a branch that is the best and stuck is stopped before the checkpoint, and is not in its median", async () => {
  const policy = scripted<LineData, string, string>(({ branch, node }) =>
    branch === "3" ? "same" : `${branch}${node.turn}`,
  );
  const tree = await grow(10, { strategy: patr({ every: 5, theta: 5 }), policy });
  expect(tree.checkpoints).toHaveLength(1);
  expect(tree.checkpoints[0]!.routings.map(({ branch, route }) => `${branch} ${route}`)).toEqual([
    "0 survive",
    "1 expand",
    "2 expand",
  ]);
  expect(tree.leaves.find(({ branch }) => branch === "3")).toMatchObject({
    end: "pruned-repeat",
    node: { turn: 5 },
  });
});

test("Theta is reached between checkpoints, counted across an expansion", async () => {
  const policy = scripted<LineData, string, string>(({ branch }) =>
    branch.startsWith("3") ? "same" : branch,
  );
  const tree = await grow(30, { strategy: patr({ branches: 4, every: 5, theta: 7 }), policy });
  const stuck = tree.leaves.filter(({ branch }) => branch.startsWith("3"));
  expect(stuck.map(({ branch, end, node }) => [branch, end, node.turn])).toEqual([
    ["3.0", "pruned-repeat", 7],
    ["3.1", "pruned-repeat", 7],
  ]);
});

test("everything ended at once: no checkpoint, and no decision is asked for", async () => {
  const tree = await grow(9, { strategy: patr({ every: 2 }), policy: scripted(["a", "win"]) });
  expect(tree.leaves.map(({ end, reward }) => [end, reward])).toEqual(Array(4).fill(["success", 1]));
  expect([tree.checkpoints.length, tree.budget.scorerCalls]).toEqual([0, 0]);
});

describe("a pruned branch is worth", () => {
  const low: Scorer<LineData, string, string> = {
    name: "low",
    score: ({ node }) => (node.branch === "0" ? 0 : 1),
  };
  const lowLeaf = async (pruned: "outcome" | "zero" | "drop") => {
    const growing = grow(8, { strategy: patr({ every: 2, pruned }), scorer: low });
    const leaf = (await growing).leaves.find(({ branch }) => branch === "0")!;
    expectClosed(growing.world);
    return [leaf.end, leaf.reward, growing.world.settled];
  };
  test("its true outcome", async () => expect(await lowLeaf("outcome")).toEqual(["pruned-score", 0.25, 1]));
  test("zero", async () => expect(await lowLeaf("zero")).toEqual(["pruned-score", 0, 0]));
  test("nothing, if it is dropped", async () =>
    expect(await lowLeaf("drop")).toEqual(["pruned-score", undefined, 0]));
});

test("ARPO fills a short group with fresh branches from the root, and never with copies", async () => {
  const growing = grow(3, { strategy: arpo({ branches: 2, maxLeaves: 6, probability: 0 }) });
  const { leaves, branches, budget } = await growing;
  expect(leaves).toHaveLength(6);
  expect(branches.every(({ from, seed }) => from.turn === 0 && seed !== null)).toBe(true);
  expect(new Set(leaves.map(({ node }) => node.observation)).size).toBe(6);
  expect(budget).toMatchObject({ resets: 1, snapshots: 1, forks: 6 });
  expectClosed(growing.world);
});

test("usage is metered", async () => {
  const usage = { promptTokens: 10, generatedTokens: 3, cachedTokens: 8 };
  const policy: Policy<LineData, string, string> = { name: "p", act: async () => ({ action: "win", usage }) };
  const { budget } = await grow(5, { strategy: independent({ n: 4 }), policy });
  expect(budget).toMatchObject({ turns: 4, promptTokens: 40, generatedTokens: 12, cachedTokens: 32 });
});

describe("limits", () => {
  test("turns end a branch with what it is worth then", async () => {
    const { leaves } = await grow(50, { strategy: independent({ n: 2 }), limits: { turns: 3 } });
    expect(leaves.map(({ end, reward, node }) => [end, reward, node.turn])).toEqual(
      Array(2).fill(["turn-limit", 0.25, 3]),
    );
  });

  test("treeTurns are shared among the branches, alike for any concurrency", async () => {
    for (const concurrency of [1, 8]) {
      const limits = { treeTurns: 23 };
      const apart = grow(100, { strategy: independent({ n: 4 }), limits, concurrency });
      const { leaves, budget } = await apart;
      expectClosed(apart.world);
      expect([budget.turns, leaves.map(({ node }) => node.turn)]).toEqual([23, [6, 6, 6, 5]]);
      const worth = leaves.every(({ reward, info }) => reward === 0.25 && info?.settled === true);
      expect(worth).toBe(true);
      const tree = grow(100, { strategy: patr({ every: 4 }), limits: { treeTurns: 50 }, concurrency });
      const { checkpoints, budget: spent } = await tree;
      expectClosed(tree.world);
      expect([spent.turns, checkpoints.map(({ turn }) => turn)]).toEqual([50, [4, 8]]);
    }
  });

  test("treeMs ends what is still active", async () => {
    let now = 0;
    const { leaves } = await grow(50, {
      strategy: independent({ n: 1 }),
      limits: { treeMs: 100 },
      clock: { now: () => now },
      policy: scripted(() => {
        now += 40;
        return String(now);
      }),
    });
    expect(leaves.map(({ end, node }) => [end, node.turn])).toEqual([["time-limit", 3]]);
  });

  test("turnMs stops a turn that hangs, tells the policy, and the other branches go on", async () => {
    let told = false;
    const policy: Policy<LineData, string, string> = {
      name: "hangs",
      act: ({ branch, signal }) =>
        branch === "0"
          ? new Promise(() => signal.addEventListener("abort", () => (told = true)))
          : { action: "win" },
    };
    const growing = grow(5, { strategy: independent({ n: 3 }), policy, limits: { turnMs: 20 } });
    const tree = await growing;
    expect(tree.leaves.map(({ end, error }) => [end, error])).toEqual([
      ["error", "rollout: the turn took longer than 20 ms"],
      ["success", undefined],
      ["success", undefined],
    ]);
    expect(told).toBe(true);
    expectClosed(growing.world);
  });
});

test("of many tasks, a broken one does not stop the others", async () => {
  const world = new LineWorld();
  const lengths = [1, 2, 3, 4, 5];
  const trees: LineTree[] = [];
  const policy = scripted<LineData, string, string>(({ task: { id } }) => {
    if (id === "line/3") throw new Error("no");
    return "a";
  });
  const options = { env: world.make, policy, strategy: independent({ n: 2 }), seed: 1, trees: 2 };
  await rolloutAll(lengths.map(task), options, (tree) => void trees.push(tree));
  expect(trees.map(({ task: { id }, problems }) => [id, problems.length]).sort()).toEqual([
    ["line/1", 0],
    ["line/2", 0],
    ["line/3", 2],
    ["line/4", 0],
    ["line/5", 0],
  ]);
  expectClosed(world);
});

test("a strategy that routes by score asks for a scorer before anything is opened", async () => {
  const world = new LineWorld();
  const options = { env: world.make, policy: wander, strategy: patr(), seed: 1 };
  await expect(rollout(task(3), options)).rejects.toThrow(
    "rollout: strategy patr routes by score; pass a `scorer`",
  );
  await expect(rollout(task(3), { ...options, seed: -1 })).rejects.toThrow(
    "rollout: expected `seed` to be a whole number from 0 up, got -1",
  );
  expect(world.opened).toBe(0);
});
