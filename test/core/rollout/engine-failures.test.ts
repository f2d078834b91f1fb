import { describe, expect, test } from "vitest";
import { scripted } from "../../../agents/scripted.ts";
import { ContextLimitError } from "../../../core/errors.ts";
import type { Policy } from "../../../core/policy.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import type { Strategy } from "../../../core/rollout/strategy.ts";
import type { Scorer } from "../../../core/scorer.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";

import { byPath, expectClosed, grow, task, wander } from "./growing.ts";

describe("what fails is said, the rest goes on, and everything is closed", () => {
  const faults: [string, (operation: string, history: string) => void, string[], string[]][] = [
    [
      "a step",
      (operation, history) => {
        if (operation === "step" && history.split("/").length === 4) throw new Error("disk full");
      },
      ["error", "error", "error", "error"],
      ["branch 0, after turn 2: disk full", "branch 1, after turn 2: disk full"],
    ],
    [
      "reset",
      (operation) => {
        if (operation === "reset") throw new Error("no image");
      },
      [],
      ["reset: no image"],
    ],
    [
      "every fork",
      (operation) => {
        if (operation === "fork") throw new Error("no space");
      },
      ["turn-limit", "error", "error", "error"],
      ["branch 1, after turn 0: no space"],
    ],
    [
      "every snapshot",
      (operation) => {
        if (operation === "snapshot") throw new Error("no layer");
      },
      ["turn-limit", "error", "error", "error"],
      ["branch 3, after turn 0: no layer"],
    ],
    [
      "settling",
      (operation) => {
        if (operation === "settle") throw new Error("no tests");
      },
      ["error", "error", "error", "error"],
      ["branch 0, after turn 3: no tests"],
    ],
    [
      "release",
      (operation) => {
        if (operation === "release") throw new Error("busy");
      },
      ["turn-limit", "turn-limit", "turn-limit", "turn-limit"],
      ["release: busy"],
    ],
  ];
  test.each(faults)("%s", async (name, fault, ends, problems) => {
    const world = new LineWorld();
    world.fault = fault;
    const tree = await rollout(task(9), {
      env: world.make,
      policy: wander,
      strategy: independent({ n: 4 }),
      seed: 1,
      limits: { turns: 3 },
    });
    expect(tree.leaves.map(({ end }) => end)).toEqual(ends);
    expect(tree.leaves.every(({ end, reward }) => end !== "error" || reward === undefined)).toBe(true);
    for (const problem of problems) expect(tree.problems).toContain(problem);
    expect(world.opened - world.closed).toBe(0);
    if (name !== "release") expect(world.held).toBe(0);
  });

  test("an Env that cannot be made", async () => {
    const env = () => {
      throw new Error("no Docker");
    };
    const tree = await rollout(task(3), { env, policy: wander, strategy: independent(), seed: 1 });
    expect([tree.nodes, tree.leaves, tree.problems]).toEqual([[], [], ["reset: no Docker"]]);
  });

  test("closing", async () => {
    const world = new LineWorld();
    world.fault = (operation) => {
      if (operation === "close") throw new Error("stuck container");
    };
    const tree = await rollout(task(3), {
      env: world.make,
      policy: wander,
      strategy: independent({ n: 2 }),
      seed: 1,
    });
    expect(tree.leaves.map(({ reward }) => reward)).toEqual([0, 0]);
    expect(tree.problems).toEqual(["close: stuck container", "close: stuck container"]);
  });

  test("the policy, in one branch", async () => {
    const policy = scripted<LineData, string, string>(({ branch, node }) => {
      if (branch === "2" && node.turn === 1) throw new Error("server gone");
      return `a${node.turn}`;
    });
    const growing = grow(3, { strategy: independent({ n: 4 }), policy });
    const tree = await growing;
    expect(tree.leaves[2]).toMatchObject({ end: "error", error: "server gone", node: { turn: 1 } });
    expect(tree.leaves.filter(({ reward }) => reward === 0)).toHaveLength(3);
    expect(tree.problems).toEqual(["branch 2, after turn 1: server gone"]);
    expectClosed(growing.world);
  });

  test("the scorer: a missing score, never a zero", async () => {
    const scorer: Scorer<LineData, string, string> = {
      name: "judge",
      score: ({ node }) => {
        if (node.branch === "0") throw new Error("429");
        return node.branch === "1" ? 7 : node.branch === "2" ? Number.NaN : 0.9;
      },
    };
    const growing = grow(4, { strategy: patr({ every: 2 }), scorer });
    const tree = await growing;
    expect(tree.checkpoints[0]!.routings).toEqual([
      { branch: "0", route: "survive" },
      { branch: "1", route: "survive" },
      { branch: "2", route: "survive" },
      { branch: "3", route: "expand", score: 0.9 },
    ]);
    expect(tree.problems).toEqual([
      "scorer judge, branch 0, turn 2: 429",
      "scorer judge, branch 1, turn 2: expected a score from 0 to 1, got 7",
      "scorer judge, branch 2, turn 2: expected a score from 0 to 1, got NaN",
    ]);
    expectClosed(growing.world);
  });

  test("the strategy: its active branches become leaves with an error", async () => {
    const strategy: Strategy = {
      name: "bad",
      options: {},
      roots: 2,
      every: 1,
      scored: false,
      route: () => [],
    };
    const growing = grow(4, { strategy });
    const tree = await growing;
    const error = "rollout: strategy bad gave 0 routes for 2 active branches";
    expect(tree.leaves.map((leaf) => [leaf.end, leaf.error])).toEqual(Array(2).fill(["error", error]));
    expectClosed(growing.world);
  });

  describe("an odd answer of the strategy", () => {
    const routing = (route: unknown, more: Partial<Strategy> = {}): Strategy => ({
      ...{ name: "odd", options: {}, roots: 2, every: 1, scored: false },
      route: ({ active }) => active.map(() => route) as never,
      ...more,
    });
    const kinds = "expected a route of kind survive, prune or expand, got";
    test.each([
      ["an unknown kind", { kind: "exspand", children: 2 }, `${kinds} "exspand"`],
      ["no kind", undefined, `${kinds} undefined`],
      [
        "children that are no number",
        { kind: "expand" },
        "expected `children` to be a whole number from 1 up, got undefined",
      ],
    ])("%s is an error that names it", async (_, route, message) => {
      const growing = grow(4, { strategy: routing(route) });
      const { leaves, checkpoints } = await growing;
      const error = `rollout: strategy odd, branch 0: ${message}`;
      expect(leaves.map((leaf) => [leaf.end, leaf.error])).toEqual(Array(2).fill(["error", error]));
      expect(checkpoints).toEqual([]);
      expectClosed(growing.world);
    });

    test.each([
      [
        "throws",
        () => {
          throw new Error("boom");
        },
        "boom",
      ],
      [
        "is no number",
        () => Number.NaN,
        "rollout: expected `strategy.topUp(leaves)` to be a whole number from 0 up, got NaN",
      ],
    ])("a topUp that %s is a problem of the tree", async (_, topUp, message) => {
      const growing = grow(2, { strategy: routing({ kind: "survive" }, { topUp }) });
      const { leaves, problems } = await growing;
      expect([leaves.length, problems]).toEqual([2, [`strategy odd: ${message}`]]);
      expectClosed(growing.world);
    });

    test("a number of initial branches that is none is refused before anything is opened", async () => {
      const growing = grow(2, { strategy: routing({}, { roots: 1.5 }) });
      await expect(growing).rejects.toThrow(
        "rollout: expected `strategy.roots` to be a whole number from 0 up, got 1.5",
      );
      expect(growing.world.opened).toBe(0);
    });
  });

  test("a policy without room for a turn: the branch ends there with its outcome, and that is no problem", async () => {
    const policy = scripted<LineData, string, string>(({ branch, node }) => {
      if (branch === "1" && node.turn === 2) throw new ContextLimitError("model: full");
      return `a${node.turn}`;
    });
    const growing = grow(4, { strategy: independent({ n: 2 }), policy });
    const { leaves, problems } = await growing;
    expect(leaves[1]).toMatchObject({ end: "context-limit", reward: 0.25, node: { turn: 2 } });
    expect(problems).toEqual([]);
    expectClosed(growing.world);
  });

  test("without room from the start of a branch: it stands for its parent or has no reward, so no path counts twice", async () => {
    const policy = scripted<LineData, string, string>(({ branch, node }) => {
      if (node.turn === 2 && branch.startsWith("2")) throw new ContextLimitError("model: full");
      if (branch === "1") throw new ContextLimitError("model: full");
      return `a${node.turn}`;
    });
    const strategy = patr({ branches: 3, every: 2, top: 1, children: 4 });
    const growing = grow(4, { strategy, policy, scorer: byPath });
    const { leaves, problems } = await growing;
    const full = leaves.filter(({ end }) => end === "context-limit");
    expect(full.map(({ branch, reward }) => [branch, reward])).toEqual([
      ["1", undefined],
      ["2.0", 0.25],
      ["2.1", undefined],
      ["2.2", undefined],
      ["2.3", undefined],
    ]);
    expect(problems).toEqual([]);
    expectClosed(growing.world);
  });

  test("an abort while a pruned branch settles", async () => {
    const stop = new AbortController();
    const world = new LineWorld();
    world.fault = (operation) => {
      if (operation !== "settle") return;
      stop.abort(new Error("enough"));
      return new Promise(() => {});
    };
    const tree = await rollout(task(9), {
      ...{ env: world.make, policy: wander, strategy: patr({ every: 2 }), seed: 1, signal: stop.signal },
      scorer: { name: "low", score: ({ node }) => (node.branch === "0" ? 0 : 1) },
    });
    expect(tree.leaves.map(({ end, error }) => [end, error])).toEqual(Array(4).fill(["aborted", undefined]));
    expect(tree.problems).toEqual(["aborted"]);
    expectClosed(world);
  });

  test("an abort, also while a policy hangs", async () => {
    const stop = new AbortController();
    const policy: Policy<LineData, string, string> = {
      name: "hangs",
      act: ({ branch, node }) => {
        if (branch === "1" && node.turn === 2) setImmediate(() => stop.abort(new Error("enough")));
        return node.turn === 2 ? new Promise(() => {}) : { action: `a${node.turn}` };
      },
    };
    const growing = grow(9, { strategy: patr({ every: 5 }), policy, signal: stop.signal });
    const tree = await growing;
    expect(tree.leaves.map(({ end, reward }) => [end, reward])).toEqual(
      Array(4).fill(["aborted", undefined]),
    );
    expect(tree.problems).toEqual(["aborted"]);
    expectClosed(growing.world);
  });

  test("an abort before anything began", async () => {
    const growing = grow(9, { strategy: patr(), signal: AbortSignal.abort() });
    expect((await growing).leaves).toEqual([]);
    expectClosed(growing.world);
  });
});
