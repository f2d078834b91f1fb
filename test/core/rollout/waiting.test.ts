import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Env } from "../../../core/env.ts";
import type { Policy } from "../../../core/policy.ts";
import { type RolloutOptions, rollout } from "../../../core/rollout/engine.ts";
import type { Limits } from "../../../core/rollout/limits.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { toRecord } from "../../../core/run/record.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";
import { byPath, expectClosed, grow, type LineTree, task, wander } from "./growing.ts";

type Options = Partial<RolloutOptions<LineData, string, string>>;

const never = (): Promise<never> => new Promise(() => {});
const LIMITS: Limits = { turns: 3, closeMs: 20 };
/** Stands still, so that only what truly waits is late, however busy the machine. */
const clock = { now: () => 0 };
const strategy = patr({ branches: 2, every: 2, top: 1 });

/** Grows a tree in which one thing hangs. */
function hanging(what: string, limits: Limits, options: Options = {}): Promise<LineTree> {
  const world = new LineWorld();
  world.fault = (operation) => (operation === what ? never() : undefined);
  const env = what === "make" ? never : world.make;
  const policy = what === "policy" ? { name: "hangs", act: never } : wander;
  const scorer = what === "scorer" ? { name: "hangs", score: never } : byPath;
  return rollout(task(9), {
    ...{ env, policy, scorer, strategy, seed: 1, clock, limits: { ...LIMITS, ...limits } },
    ...options,
  });
}

const said = ({ leaves, problems }: LineTree) => [leaves.map(({ end }) => end).join(" "), ...problems];

const late = (what: string) => `rollout: ${what} took longer than 20 ms`;
const left = "close: rollout: closing took longer than 20 ms, the Env is left behind";
const start = "making and resetting the Env";

describe("what hangs is given up after `turnMs`", () => {
  test.each([
    ["make", ["", left, `reset: ${late(start)}`]],
    ["reset", ["", `reset: ${late(start)}`]],
    ["policy", ["error error", ...["0", "1"].map((b) => `branch ${b}, after turn 0: ${late("the turn")}`)]],
    ["step", ["error error", ...["0", "1"].map((b) => `branch ${b}, after turn 0: ${late("the turn")}`)]],
    [
      "snapshot",
      ["error error", ...["0", "1"].map((b) => `branch ${b}, after turn 0: ${late("the turn")}`), left, left],
    ],
    [
      "settle",
      [
        "error error error",
        ...["0", "1.0", "1.1"].map((b) => `branch ${b}, after turn 3: ${late("settling")}`),
      ],
    ],
    [
      "scorer",
      [
        "turn-limit turn-limit",
        ...["0", "1"].map((b) => `scorer hangs, branch ${b}, turn 2: ${late("the score")}`),
      ],
    ],
    ["close", ["turn-limit turn-limit turn-limit", left, left, left]],
    ["release", ["turn-limit turn-limit turn-limit", left, left]],
  ])("%s", async (what, expected) => {
    expect(said(await hanging(what, { turnMs: 20 })).sort()).toEqual([...expected].sort());
  });
});

describe("what hangs is given up after `treeMs`, and for an outcome `closeMs` later", () => {
  const up = "rollout: the tree took longer than 20 ms";
  test.each([
    ["make", ["", left, `reset: ${up}`]],
    ["reset", ["", `reset: ${up}`]],
    ["policy", ["time-limit time-limit"]],
    [
      "step",
      [
        "error error",
        ...["0", "1"].map((b) => `branch ${b}, after turn 0: ${up}, and its outcomes 20 ms more`),
      ],
    ],
    ["snapshot", ["time-limit time-limit", left, left]],
    [
      "scorer",
      ["time-limit time-limit", ...["0", "1"].map((b) => `scorer hangs, branch ${b}, turn 2: ${up}`)],
    ],
    [
      "settle",
      [
        "error error error",
        ...["0", "1.0", "1.1"].map((b) => `branch ${b}, after turn 3: ${up}, and its outcomes 20 ms more`),
      ],
    ],
  ])("%s", async (what, expected) => {
    expect(said(await hanging(what, { treeMs: 20 })).sort()).toEqual([...expected].sort());
  });
});

test.each(["make", "reset", "policy", "step", "snapshot", "fork", "settle", "scorer"])(
  "an abort gives up a hanging %s",
  async (what) => {
    const tree = await hanging(what, {}, { signal: AbortSignal.timeout(20) });
    expect(new Set(tree.leaves.map(({ end }) => end))).toEqual(
      new Set(what === "make" || what === "reset" ? [] : ["aborted"]),
    );
  },
);

describe("at `treeMs`", () => {
  test("a branch that waits for its policy is worth where it stands; one without a turn of its own nothing", async () => {
    const policy: Policy<LineData, string, string> = {
      name: "slow",
      act: (turn) => (turn.branch === "1" || turn.node.turn === 2 ? never() : wander.act(turn)),
    };
    const growing = grow(9, { strategy: independent({ n: 2 }), policy, clock, limits: { treeMs: 20 } });
    const tree = await growing;
    expect(tree.leaves.map(({ end, node, reward }) => [end, node.turn, reward])).toEqual([
      ["time-limit", 2, 0.25],
      ["time-limit", 0, undefined],
    ]);
    expectClosed(growing.world);
  });

  test("of children that took no turn, the one in its parent's Env stands for it", async () => {
    const policy: Policy<LineData, string, string> = {
      name: "slow",
      act: (turn) => (turn.node.turn === 2 ? never() : wander.act(turn)),
    };
    const tree = await grow(9, { strategy, policy, clock, limits: { treeMs: 20 } });
    expect(tree.leaves.map(({ branch, node, reward }) => [branch, node.turn, reward])).toEqual([
      ["0", 2, 0.25],
      ["1.0", 2, 0.25],
      ["1.1", 2, undefined],
    ]);
  });

  test("a step under way may end, and is recorded", async () => {
    const world = new LineWorld();
    world.fault = (operation) => (operation === "step" ? sleep(30) : undefined);
    const tree = await rollout(task(9), {
      ...{ env: world.make, policy: wander, strategy: independent({ n: 1 }), seed: 1, clock },
      limits: { treeMs: 10 },
    });
    expect(tree.leaves).toMatchObject([{ end: "time-limit", reward: 0.25, node: { turn: 1 } }]);
    expect(tree.problems).toEqual([]);
  });

  test("nothing more is scored or begun", async () => {
    let now = 0;
    const policy: Policy<LineData, string, string> = {
      name: "ticks",
      act: (turn) => {
        now += 10;
        return wander.act(turn);
      },
    };
    const limits = { treeMs: 40 };
    const tree = await grow(9, { strategy, policy, limits, clock: { now: () => now }, concurrency: 1 });
    expect(tree.leaves.map(({ end, node }) => [end, node.turn])).toEqual(Array(2).fill(["time-limit", 2]));
    expect(tree.budget).toMatchObject({ scorerCalls: 0, forks: 1 });
  });

  test("scores that came too late route nothing", async () => {
    let now = 0;
    const scorer = {
      name: "slow",
      score: () => {
        now += 30;
        return 0.5;
      },
    };
    const options = { strategy, scorer, clock: { now: () => now }, concurrency: 1 };
    const tree = await grow(9, { ...options, limits: { treeMs: 40 } });
    expect([tree.budget.scorerCalls, tree.checkpoints]).toEqual([2, []]);
    expect(tree.leaves.map(({ end, node }) => [end, node.turn])).toEqual(Array(2).fill(["time-limit", 2]));
  });

  test("a limit longer than any timer is none", async () => {
    const limits = { turnMs: Number.MAX_SAFE_INTEGER, treeMs: Number.MAX_SAFE_INTEGER };
    const world = new LineWorld();
    world.fault = () => sleep(2);
    const tree = await rollout(task(3), {
      ...{ env: world.make, policy: wander, strategy: independent({ n: 1 }), seed: 1, limits },
    });
    expect(said(tree)).toEqual(["turn-limit"]);
  });
});

describe("what comes late", () => {
  /** Opens when asked, for what waits on it. */
  function gate(): { readonly opened: Promise<void>; open(): void } {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { opened, open };
  }
  const settled = () => sleep(5);

  test("a policy's answer changes neither the tree nor its budget, and steps no Env", async () => {
    const { opened, open } = gate();
    let steps = 0;
    const world = new LineWorld();
    world.fault = (operation) => void (operation === "step" && steps++);
    const policy: Policy<LineData, string, string> = {
      name: "late",
      act: async (turn) => {
        if (turn.branch === "1") await opened;
        return { ...(await wander.act(turn)), usage: { promptTokens: 5, generatedTokens: 1 } };
      },
    };
    const tree = await rollout(task(3), {
      ...{ env: world.make, policy, strategy: independent({ n: 2 }), seed: 1, limits: { turnMs: 20 } },
    });
    const before = JSON.stringify(toRecord(tree));
    open();
    await settled();
    expect(JSON.stringify(toRecord(tree))).toBe(before);
    expect([steps, tree.budget.turns, tree.budget.promptTokens]).toEqual([3, 3, 15]);
    expectClosed(world);
  });

  test("while the tree still grows, neither", async () => {
    const first = gate();
    const policy: Policy<LineData, string, string> = {
      name: "late",
      act: async (turn) => {
        if (turn.branch === "1") await first.opened;
        else if (turn.node.turn < 2) await sleep(15);
        if (turn.branch === "0" && turn.node.turn === 1) first.open();
        return wander.act(turn);
      },
    };
    const tree = await grow(9, { strategy: independent({ n: 2 }), policy, limits: { turns: 6, turnMs: 20 } });
    expect(tree.leaves.map(({ end, node }) => [end, node.turn])).toEqual([
      ["turn-limit", 6],
      ["error", 0],
    ]);
    expect(tree.budget.turns).toBe(6);
  });

  test.each(["make", "fork", "snapshot"])(
    "an Env: a %s that was given up is closed when it comes",
    async (what) => {
      const { opened, open } = gate();
      const world = new LineWorld();
      let forks = 0;
      world.fault = (operation) => {
        if (operation === "fork") forks++;
        return operation === "snapshot" && what === operation ? opened : undefined;
      };
      const env = () => {
        if (what === "make") return opened.then(world.make);
        const line: Env<LineData, string, string> = world.make();
        const fork = line.fork.bind(line);
        if (what === "fork") line.fork = (...asked) => fork(...asked).then((made) => opened.then(() => made));
        return line;
      };
      const limits = { turns: 2, turnMs: 20, closeMs: 10 };
      const options = { env, policy: wander, strategy: independent({ n: 3 }), seed: 1, limits };
      const tree = await rollout(task(9), options);
      expect(tree.problems).toContain(left.replace("20", "10"));
      const before = JSON.stringify(toRecord(tree));
      open();
      await settled();
      expectClosed(world);
      // Nobody wants the forks of a snapshot that came too late.
      expect([world.opened, forks]).toEqual(what === "fork" ? [3, 2] : [1, 0]);
      expect(JSON.stringify(toRecord(tree))).toBe(before);
    },
  );

  test("an Env whose fork or release hangs is closed all the same", async () => {
    for (const what of ["fork", "release"]) {
      const world = new LineWorld();
      world.fault = (operation) => (operation === what ? never() : undefined);
      const limits = { turns: 2, turnMs: 20, closeMs: 10 };
      await rollout(task(9), {
        ...{ env: world.make, policy: wander, strategy: independent({ n: 2 }), seed: 1, limits },
      });
      expect(world.opened - world.closed).toBe(0);
    }
  });
});
