import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scripted } from "../../../agents/scripted.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { evenShares } from "../../../core/rollout/shares.ts";
import { arpo } from "../../../core/rollout/strategies/arpo.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { treeRandom } from "../../../core/rollout/strategies/tree-random.ts";
import type { Strategy } from "../../../core/rollout/strategy.ts";
import type { Scorer } from "../../../core/scorer.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";
import { byPath, essence, expectClosed, grow, type LineTree, task } from "./growing.ts";

/** Branches named here win after so many turns of the tree; the others go on. */
function winning(at: Readonly<Record<string, number>>) {
  return scripted<LineData, string, string>(({ branch, node }) =>
    node.turn + 1 === at[branch] ? "win" : `${branch}:${node.turn}`,
  );
}

const ends = (tree: LineTree) => tree.leaves.map(({ branch, end, node }) => [branch, end, node.turn]);

test("shares are as even as can be, and add up", () => {
  expect([evenShares(7, 3), evenShares(2, 3), evenShares(0, 2)]).toEqual([
    [3, 2, 2],
    [1, 1, 0],
    [0, 0],
  ]);
  expect(evenShares(Number.POSITIVE_INFINITY, 2)).toEqual(Array(2).fill(Number.POSITIVE_INFINITY));
});

describe("turns that an episode did not use", () => {
  test("go to the branches that want to go on, until nothing is left", async () => {
    const policy = winning({ "1": 2, "2": 4 });
    const growing = grow(99, { strategy: independent({ n: 3 }), policy, limits: { treeTurns: 12 } });
    const tree = await growing;
    // Shares 4 4 4; branch 1 leaves 2 of them, which branch 0 takes, for 2 has won by then.
    expect(ends(tree)).toEqual([
      ["0", "turn-limit", 6],
      ["1", "success", 2],
      ["2", "success", 4],
    ]);
    expect(tree.budget.turns).toBe(12);
    expectClosed(growing.world);
  });

  test("take a branch to the checkpoint at which the others stand", async () => {
    const policy = winning({ "0": 1, "1": 1 });
    const strategy = patr({ branches: 4, every: 3, top: 0 });
    const tree = await grow(99, { strategy, policy, limits: { treeTurns: 10 } });
    // Shares 3 3 2 2; the two that won left 4, of which 2 and 3 need one each.
    expect(tree.checkpoints.map(({ turn, routings }) => [turn, routings.length])).toEqual([[3, 2]]);
    expect(ends(tree)).toEqual([
      ["0", "success", 1],
      ["1", "success", 1],
      ["2", "turn-limit", 4],
      ["3", "turn-limit", 4],
    ]);
  });
});

describe("once the tree's turns are used up", () => {
  test("nothing is scored, routed or forked: the branches end where they stand", async () => {
    const strategy = patr({ branches: 2, every: 2 });
    const growing = grow(99, { strategy, limits: { treeTurns: 4 } });
    const tree = await growing;
    expect(ends(tree)).toEqual([
      ["0", "turn-limit", 2],
      ["1", "turn-limit", 2],
    ]);
    expect(tree.checkpoints).toEqual([]);
    expect(tree.budget).toMatchObject({ scorerCalls: 0, forks: 1, snapshots: 1 });
    expect(growing.world.settled).toBe(2);
    expectClosed(growing.world);
  });

  test("of the initial branches no more begin than there are turns", async () => {
    const growing = grow(9, { strategy: independent({ n: 8 }), limits: { treeTurns: 3 } });
    const tree = await growing;
    expect(ends(tree).map(([, , turn]) => turn)).toEqual([1, 1, 1]);
    expect([tree.branches.length, tree.budget.forks]).toEqual([3, 2]);
    expectClosed(growing.world);
  });

  test("no branch is begun to fill a group", async () => {
    const tree = await grow(3, { strategy: arpo({ branches: 2, probability: 0 }), limits: { treeTurns: 7 } });
    expect(ends(tree).map(([branch, , turn]) => [branch, turn])).toEqual([
      ["0", 3],
      ["1", 3],
      ["2", 1],
    ]);
  });
});

describe("a checkpoint expands as far as there are turns", () => {
  const expandsAll: Strategy = {
    name: "all",
    options: {},
    roots: 2,
    every: 2,
    scored: false,
    route: ({ active }) => active.map(() => ({ kind: "expand", children: 3 })),
  };

  test("whatever the strategy asks for, in node order, and the record says what was done", async () => {
    const tree = await grow(99, { strategy: expandsAll, limits: { treeTurns: 8 } });
    // 4 turns are left for 2 branches: the first gets all that can be added.
    expect(tree.checkpoints[0]!.routings.map(({ route }) => route)).toEqual(["expand", "survive"]);
    expect(ends(tree).map(([branch, , turn]) => [branch, turn])).toEqual([
      ["1", 3],
      ["0.0", 3],
      ["0.1", 3],
      ["0.2", 3],
    ]);
  });

  test("the best first, where the strategy knows them, counting those that it prunes", async () => {
    const active = ["0", "1", "2"].map((path, index) => ({
      path,
      node: { branch: path, turn: 2, observation: "", reward: 0, repeats: 1 },
      score: [0.6, 0, 0.9][index]!,
    }));
    const rng = { next: () => 0.9, below: () => 0, state: () => ({ c: 0, s0: 0, s1: 0, s2: 0 }) };
    const kinds = (strategy: Strategy, turns: number) =>
      strategy.route!({ turn: 2, active, leaves: 0, turns }, rng)
        .map(({ kind }) => kind[0])
        .join("");
    expect([2, 3, 4].map((turns) => kinds(patr(), turns))).toEqual(["sps", "spe", "epe"]);
    expect([3, 4, 5].map((turns) => kinds(arpo({ probability: 1 }), turns))).toEqual(["sss", "ess", "ees"]);
    const count = (turns: number) => kinds(treeRandom(), turns).replaceAll("s", "").length;
    expect([3, 4, 5].map(count)).toEqual([0, 1, 2]);
  });
});

test("whatever ends when: no more turns than there are, all used unless all have ended, one of its own for every leaf", async () => {
  const strategies = [
    independent({ n: 5 }),
    patr({ every: 2 }),
    patr({ every: 3, parent: "kept", alpha: 0.1 }),
    treeRandom({ every: 2, children: 3, top: 3 }),
    arpo({ probability: 0.3 }),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...strategies),
      fc.integer({ min: 1, max: 60 }),
      fc.nat({ max: 99 }),
      fc.integer({ min: 2, max: 12 }),
      async (strategy, treeTurns, seed, length) => {
        const trees: LineTree[] = [];
        for (const [concurrency, jitter] of [
          [1, undefined],
          [9, seed],
        ] as const) {
          const world = new LineWorld();
          world.jitter = jitter;
          const policy = scripted<LineData, string, string>(({ rng }) =>
            rng.next() < 0.15 ? "win" : `a${rng.below(3)}`,
          );
          const scorer: Scorer<LineData, string, string> = byPath;
          const limits = { treeTurns };
          const options = { env: world.make, policy, scorer, strategy, seed, limits, concurrency };
          trees.push(await rollout(task(length), options));
          expectClosed(world);
        }
        const tree = trees[0]!;
        expect(essence(trees[1]!)).toEqual(essence(tree));
        expect(tree.budget.turns).toBeLessThanOrEqual(treeTurns);
        const short = tree.leaves.filter(({ end, node }) => end === "turn-limit" && node.end === undefined);
        if (short.length > 0) expect(tree.budget.turns).toBe(treeTurns);
        for (const { branch, node } of tree.leaves) expect(node.branch).toBe(branch);
        expect(new Set(tree.leaves.map(({ node }) => node)).size).toBe(tree.leaves.length);
      },
    ),
    { numRuns: 150 },
  );
});
