import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../../core/errors.ts";
import type { Policy } from "../../../core/policy.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import type { Strategy } from "../../../core/rollout/strategy.ts";
import { type TreeRecord, toTree } from "../../../core/run/record.ts";
import { summarize } from "../../../core/run/report.ts";
import {
  countTrees,
  type RolloutRunOptions,
  readTree,
  readTrees,
  runRollouts,
} from "../../../core/run/rollout-run.ts";
import { RunFolder } from "../../../core/run/run-folder.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";
import { taskSet } from "../../fakes/task-set.ts";

let folder: string;
let world: LineWorld;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "forkgym-test-"));
  world = new LineWorld();
});
afterEach(() => rm(folder, { recursive: true }));

const tasks = taskSet([1, 2, 3, 4, 5].map((length) => ({ id: `line/${length}`, data: { length } })));
const policy: Policy<LineData, string, string> = {
  name: "wander",
  act: ({ rng }) => ({ action: rng.next() < 0.3 ? "win" : "abc"[rng.below(3)]! }),
};

type Options = RolloutRunOptions<LineData, string, string>;

/** Rolls out into the folder, and says for which tasks an Env was reset. */
async function run(options: Partial<Options> = {}) {
  const open = await RunFolder.open(folder, { kind: "rollout", config: {} });
  const reset: string[] = [];
  const env = () => {
    const line = world.make();
    const own = line.reset.bind(line);
    line.reset = (given) => {
      reset.push(given.task.id);
      return own(given);
    };
    return line;
  };
  try {
    const strategy = independent({ n: 2 });
    const summary = await runRollouts(open, { tasks, env, policy, strategy, seed: 3, ...options });
    return { summary, reset, notes: open.notes };
  } finally {
    await open.close();
    expect([world.opened - world.closed, world.held]).toEqual([0, 0]);
  }
}

async function records(): Promise<TreeRecord[]> {
  const all: TreeRecord[] = [];
  for await (const { record, line } of readTrees(folder)) expect(all.push(record)).toBe(line);
  return all;
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `line/${index + 1}`);

test("every task is rolled out once, and a line written for each", async () => {
  const told: string[] = [];
  const onTree: Options["onTree"] = (tree, done) => told.push(`${tree.task.id} ${done}`);
  const { summary, reset } = await run({ onTree });
  expect(reset).toEqual(ids(5));
  expect(told).toEqual(ids(5).map((id, index) => `${id} ${index + 1}`));
  expect((await records()).map(({ task }) => task.id)).toEqual(ids(5));
  expect(await countTrees(folder)).toBe(5);
  expect([summary.trees, summary.leaves, summary.budget.resets]).toEqual([5, 10, 5]);
});

test("what is in the folder is not done again, is told of first, and counts in the summary", async () => {
  await run({ count: 2 });
  const told: number[] = [];
  const onTree: Options["onTree"] = (_, done) => told.push(done);
  let resumed = -1;
  const onResumed: Options["onResumed"] = (done) => {
    resumed = done;
    expect(told).toEqual([1, 2]);
  };
  const { summary, reset } = await run({ onTree, onResumed });
  expect([resumed, reset, told]).toEqual([2, ["line/3", "line/4", "line/5"], [1, 2, 3, 4, 5]]);
  expect(summary.trees).toBe(5);
  const stepwise = await records();
  await rm(join(folder, "trees.jsonl"));
  const whole = (await run()).summary;
  expect((await records()).map(({ digest }) => digest)).toEqual(stepwise.map(({ digest }) => digest));
  expect({ ...summary, budget: { ...summary.budget, seconds: 0 } }).toEqual({
    ...whole,
    budget: { ...whole.budget, seconds: 0 },
  });
});

test("a tree that was cut off in its line is grown again", async () => {
  await run({ count: 3 });
  const before = await records();
  const file = join(folder, "trees.jsonl");
  await writeFile(file, (await readFile(file, "utf8")).slice(0, -9));
  expect(await countTrees(folder)).toBe(2);
  const tails: number[] = [];
  for await (const _ of readTrees(folder, (bytes) => tails.push(bytes)));
  expect(tails).toHaveLength(1);
  const { reset, notes } = await run({ count: 3 });
  expect([reset, notes]).toEqual([
    ["line/3"],
    [`trees.jsonl: dropped ${tails[0]} bytes of a last line that was cut off`],
  ]);
  expect((await records()).map(({ digest }) => digest)).toEqual(before.map(({ digest }) => digest));
});

test("a tree that an abort cut short is not recorded, and the next run grows it", async () => {
  const controller = new AbortController();
  world.fault = (operation, history) => {
    if (operation === "step" && history.split("/").length === 4) controller.abort();
  };
  const { summary } = await run({ signal: controller.signal });
  const done = (await records()).length;
  expect(done).toBeLessThan(5);
  expect(summary.trees).toBe(done);
  for (const { leaves } of await records()) {
    for (const { end } of leaves) expect(end).not.toBe("aborted");
  }
  world.fault = () => {};
  expect((await run()).summary.trees).toBe(5);
  expect(new Set((await records()).map(({ task }) => task.id))).toEqual(new Set(ids(5)));
});

test("a tree with a problem is recorded with it", async () => {
  world.fault = (operation) => {
    if (operation === "step") throw new Error("no such line");
  };
  const { summary } = await run({ count: 1 });
  expect([summary.incomplete, summary.ends]).toEqual([1, { error: 2 }]);
  expect((await records())[0]!.problems).toEqual([
    "branch 0, after turn 0: no such line",
    "branch 1, after turn 0: no such line",
  ]);
});

test("with fewer tasks than the folder holds, the trees of these tasks alone are told of and summed up", async () => {
  await run();
  const told: string[] = [];
  let resumed = -1;
  const { summary, reset } = await run({
    count: 2,
    onTree: (tree) => told.push(tree.task.id),
    onResumed: (done) => {
      resumed = done;
    },
  });
  expect([resumed, reset, told]).toEqual([2, [], ids(2)]);
  const all = await records();
  expect(all).toHaveLength(5);
  expect(summary).toEqual(summarize(all.slice(0, 2).map((record) => toTree(record))));
});

describe("trees with a problem", () => {
  const broken = async () => {
    world.fault = (operation, history) => {
      if (operation === "step" && history.startsWith("/a")) throw new Error("no such line");
    };
    const { summary } = await run();
    expect([summary.incomplete > 0, summary.incomplete < 5]).toEqual([true, true]);
    world.fault = () => {};
    return records();
  };

  test("stay as they are, and are grown again when asked for", async () => {
    const before = await broken();
    const failed = before.filter(({ problems }) => problems.length > 0).map(({ task }) => task.id);
    expect((await run()).reset).toEqual([]);
    const told: string[] = [];
    const { summary, reset } = await run({
      retryIncomplete: true,
      onTree: (tree) => told.push(tree.task.id),
    });
    expect([summary.trees, summary.incomplete, reset]).toEqual([5, 0, failed]);
    expect([...told].sort()).toEqual(ids(5));
    const after = await records();
    expect(after.slice(0, 5 - failed.length)).toEqual(before.filter(({ problems }) => problems.length === 0));
    await rm(join(folder, "trees.jsonl"));
    await run();
    const digests = (all: TreeRecord[]) => all.map(({ digest }) => digest).sort();
    expect(digests(after)).toEqual(digests(await records()));
  });

  test("of other tasks than these stay", async () => {
    const before = await broken();
    const last = before.findLast(({ problems }) => problems.length > 0)!;
    const count = before.indexOf(last);
    await run({ count, retryIncomplete: true });
    expect((await records()).filter(({ problems }) => problems.length > 0)).toEqual([last]);
  });

  test("that fail again are recorded again", async () => {
    world.fault = (operation) => {
      if (operation === "reset") throw new Error("down");
    };
    await run();
    const { summary } = await run({ retryIncomplete: true });
    expect([summary.trees, summary.incomplete, await countTrees(folder)]).toEqual([5, 5, 5]);
  });
});

describe("a tree that could not be read again", () => {
  const unreadable = (change: Partial<Strategy>) => {
    const strategy = { ...independent({ n: 2 }), ...change };
    return run({ strategy });
  };

  test("stops the run, the task and the field named, and is not written", async () => {
    await expect(unreadable({ name: Number.NaN as unknown as string })).rejects.toThrow(
      "trees.jsonl: the tree of task line/1 cannot be recorded: expected `strategy.name` to be a text, got null; " +
        "see what the policy, the environment, the scorer and the strategy return",
    );
    expect(await readFile(join(folder, "trees.jsonl"), "utf8")).toBe("");
    expect((await run()).summary.trees).toBe(5);
  });

  test("is named in one line if it is no JSON at all", async () => {
    const ring: Record<string, unknown> = {};
    ring.ring = ring;
    const error = await unreadable({ options: ring as never }).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect((error as Error).message).toMatch(
      /^trees\.jsonl: the tree of task line\/1 cannot be recorded: [^\n]+$/,
    );
    expect(await records()).toEqual([]);
  });
});

test("one tree is read by its number", async () => {
  await run({ count: 2 });
  const [first, second] = await records();
  await writeFile(join(folder, "trees.jsonl"), `${"{".repeat(9)}\n${JSON.stringify(second)}\n`);
  expect(await readTree(folder, 2)).toEqual(second);
  expect(await readTree(folder, 3)).toBeUndefined();
  await writeFile(join(folder, "trees.jsonl"), `null\n${JSON.stringify(first)}\n`);
  await expect(readTree(folder, 1)).rejects.toThrow(
    "trees.jsonl line 1: expected `v` to be 1, got undefined",
  );
});

test("an error of the listener ends the run and keeps what is written", async () => {
  const onTree: Options["onTree"] = (_, done) => {
    if (done === 2) throw new Error("enough");
  };
  await expect(run({ onTree })).rejects.toThrow("enough");
  expect((await records()).map(({ task }) => task.id)).toEqual(["line/1", "line/2"]);
});

test("a folder without trees has none", async () => {
  expect(await records()).toEqual([]);
  expect(await countTrees(folder)).toBe(0);
  expect((await run({ count: 0 })).summary).toEqual(summarize([]));
});

test("a line that is no tree is named", async () => {
  await run({ count: 2 });
  const file = join(folder, "trees.jsonl");
  await writeFile(file, `{"v":1}\n${await readFile(file, "utf8")}`);
  await expect(records()).rejects.toThrow(
    "trees.jsonl line 1: expected `task.id` to be a text, got undefined",
  );
  await expect(run()).rejects.toThrow("trees.jsonl line 1: expected `task.id`");
});
