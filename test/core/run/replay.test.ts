import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scripted } from "../../../agents/scripted.ts";
import type { Env } from "../../../core/env.ts";
import type { Policy } from "../../../core/policy.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { arpo } from "../../../core/rollout/strategies/arpo.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { treeRandom } from "../../../core/rollout/strategies/tree-random.ts";
import { checkRecord, type TreeRecord, toRecord, toTree } from "../../../core/run/record.ts";
import { replay } from "../../../core/run/replay.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";

const wander: Policy<LineData, string, string> = {
  name: "wander",
  act: ({ node, rng }) => ({
    action: rng.next() < 0.1 ? "win" : `${"abc"[rng.below(3)]}${node.turn}`,
    logprob: -1.5,
  }),
};

async function recorded(
  strategy = patr({ every: 2, pruned: "outcome" }),
  policy = wander,
): Promise<TreeRecord> {
  const scorer = {
    name: "s",
    score: ({ node }: { node: { branch: string } }) => (node.branch === "1" ? 0 : 0.9),
  };
  const task = { id: "line/7", data: { length: 7 } };
  const tree = await rollout(task, { env: new LineWorld().make, policy, strategy, scorer, seed: 4 });
  return JSON.parse(JSON.stringify(toRecord(tree))) as TreeRecord;
}

test.each([
  ["independent", independent({ n: 3 })],
  ["patr", patr({ every: 2 })],
  ["patr with zero for the pruned", patr({ every: 2, pruned: "zero" })],
  ["patr, parent kept", patr({ every: 2, parent: "kept" })],
  ["tree-random", treeRandom({ every: 2, children: 3 })],
  ["arpo", arpo({ probability: 0.2 })],
])("a record replays without a difference: %s", async (_, strategy) => {
  const world = new LineWorld();
  expect(await replay(await recorded(strategy), world.make)).toEqual([]);
  expect([world.opened - world.closed, world.held]).toEqual([0, 0]);
});

test("a record turns back into the tree it was made of", async () => {
  const record = await recorded();
  expect(JSON.parse(JSON.stringify(toRecord(toTree(checkRecord(record, "here")))))).toEqual(record);
});

test("repeats are counted again on the way back", async () => {
  const record = await recorded(independent({ n: 1 }), scripted(["a", "b", "b", "b", "c", "c", "win"]));
  expect(toTree(record).nodes.map(({ repeats }) => repeats)).toEqual([0, 1, 1, 2, 3, 1, 2, 1]);
});

test("a changed observation, reward, end or outcome is found and named", async () => {
  const record = await recorded(independent({ n: 2 }), scripted(["a", "b", "win"]));
  const at = record.nodes.findIndex(({ branch, parent }) => branch === "1" && parent === 4);
  const changed = (field: string, value: unknown): TreeRecord => ({
    ...record,
    nodes: record.nodes.map((node, index) => (index === at ? { ...node, [field]: value } : node)),
  });
  const [observation] = await replay(changed("observation", "/x0"), new LineWorld().make);
  expect(observation).toMatchObject({
    task: "line/7",
    branch: "1",
    turn: 2,
    field: "observation",
    recorded: '"/x0"',
  });
  expect(await replay(changed("reward", 0.5), new LineWorld().make)).toMatchObject([
    { branch: "1", turn: 2, field: "reward", recorded: "0.5", replayed: "0" },
    { branch: "1", turn: 3, field: "outcome", recorded: "1", replayed: "1.5" },
  ]);
  const leaves = record.leaves.map((leaf) => ({ ...leaf, reward: 0 }));
  expect((await replay({ ...record, leaves }, new LineWorld().make)).map(({ field }) => field)).toEqual([
    "outcome",
    "outcome",
  ]);
  expect(await replay({ ...record, seed: 5 }, new LineWorld().make)).not.toEqual([]);
});

test("any other change shows in the digest", async () => {
  const record = await recorded();
  const checkpoints = record.checkpoints.slice(1);
  const [difference] = await replay({ ...record, checkpoints }, new LineWorld().make);
  expect(difference).toMatchObject({ turn: 0, field: "digest" });
});

test("no single changed byte goes unseen", async () => {
  const text = JSON.stringify(await recorded());
  const seconds = /"seconds":[^}]+/.exec(text)!;
  const at = fc.nat({ max: text.length - 1 });
  await fc.assert(
    fc.asyncProperty(at, fc.constantFrom("0", "1", "x", '"', ","), async (index, sign) => {
      const inSeconds = index >= seconds.index && index < seconds.index + seconds[0].length;
      fc.pre(text[index] !== sign && !inSeconds);
      const found = await (async () => {
        const value: unknown = JSON.parse(text.slice(0, index) + sign + text.slice(index + 1));
        const differences = await replay(checkRecord(value, "line 1"), new LineWorld().make);
        return differences.length;
      })().catch((error: Error) => error.message);
      expect(found).not.toBe(0);
    }),
    { numRuns: 300 },
  );
});

describe("settling may change the Env", () => {
  /** Counts its turns; after it was settled it says so. */
  function counting(): Env<null, string, string> {
    const from = (state: { turns: number; settled: boolean }): Env<null, string, string> => ({
      reset: async () => "0",
      step: async () => {
        state.turns++;
        return { observation: `${state.turns}${state.settled ? " settled" : ""}`, reward: 0 };
      },
      snapshot: async () => ({ ...state }),
      fork: async (snapshot) => from({ ...(snapshot as unknown as typeof state) }),
      release: async () => {},
      settle: async () => {
        if (state.settled) throw new Error("settled twice");
        state.settled = true;
        return { reward: 1 };
      },
      close: async () => {},
    });
    return from({ turns: 0, settled: false });
  }

  /** Two turns of branch 0, and leaves of these branches on the first and the second. */
  async function ending(
    first: readonly string[],
    second: readonly string[],
    branches: readonly { path: string; seed: number | null }[],
  ): Promise<TreeRecord> {
    const tree = await rollout(
      { id: "count", data: null },
      {
        ...{ env: counting, policy: scripted(["a", "b"]), strategy: independent({ n: 1 }), seed: 4 },
        limits: { turns: 2 },
      },
    );
    const [, one, two] = tree.nodes;
    const leaf = (node: (typeof tree.nodes)[number]) => (branch: string) => ({
      ...{ branch, node, end: "turn-limit" as const, reward: 1 },
    });
    return toRecord({
      ...tree,
      branches: [...tree.branches, ...branches.map((each) => ({ ...each, from: one! }))],
      leaves: [...first.map(leaf(one!)), ...second.map(leaf(two!))],
    });
  }

  test.each([
    ["an Env that goes on is not settled, a fork of it is", ["0"], ["0"], []],
    ["of several leaves on one turn each has an Env of its own", [], ["0", "0", "0"], []],
    ["a leaf that took no turn is settled on its own fork", ["0.1"], ["0"], [{ path: "0.1", seed: 7 }]],
  ])("%s", async (_, first, second, branches) => {
    expect(await replay(await ending(first, second, branches), counting)).toEqual([]);
  });
});

test("an Env that fails in replay is a difference, not a crash", async () => {
  const world = new LineWorld();
  world.fault = (operation) => {
    if (operation === "step") throw new Error("disk full");
  };
  const differences = await replay(await recorded(independent({ n: 1 })), world.make);
  expect(differences).toMatchObject([{ turn: 1, field: "step", replayed: "disk full" }]);
});

test.each([
  [{ v: 2 }, "line 3: expected `v` to be 1, got 2"],
  [{ nodes: 1 }, "line 3: expected `nodes` to be a list, got 1"],
  [{ task: {} }, "line 3: expected `task.id` to be a text, got undefined"],
  [
    { branches: [{ path: "0", from: 99, seed: null }] },
    "line 3: expected `branches[0].from` to be the index of a node, got 99",
  ],
])("a record that does not hold together is named: %o", async (fields, message) => {
  const record = { ...(await recorded()), ...fields };
  expect(() => checkRecord(record, "line 3")).toThrow(message);
});

test("a parent must come before its child", async () => {
  const record = await recorded();
  const nodes = record.nodes.map((node, at) => (at === 2 ? { ...node, parent: 2 } : node));
  expect(() => checkRecord({ ...record, nodes }, "line 3")).toThrow(
    "line 3: expected `nodes[2].parent` to be an index from 0 to 1, got 2",
  );
});
