import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createLearner,
  type Learner,
  type UpdateOptions,
  type UpdateStats,
} from "../../../agents/learner/learner.ts";
import { createTrainer, type TrainerOptions, type UpdateReport } from "../../../agents/learner/trainer.ts";
import { InputError } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { arpo } from "../../../core/rollout/strategies/arpo.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { treeRandom } from "../../../core/rollout/strategies/tree-random.ts";
import type { Strategy } from "../../../core/rollout/strategy.ts";
import { type Group, isMixed } from "../../../core/training/group.ts";
import { frozenLakeKit } from "../../../envs/frozen-lake/kit.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";
import { taskSet } from "../../fakes/task-set.ts";

type LineGroup = Group<LineData, string, string>;

const NOTHING: UpdateStats = {
  loss: 0,
  entropy: 0,
  gradNorm: 0,
  clipFraction: 0,
  rows: 0,
  turns: 0,
  steps: 0,
  leftOut: 0,
};

/** A learner that learns nothing and writes down what it is given. */
function recorder() {
  const batches: { groups: readonly LineGroup[]; options: UpdateOptions | undefined }[] = [];
  const learner: Pick<Learner<LineData, string, string>, "name" | "act" | "update"> = {
    name: "recorder",
    act: ({ rng }) => ({ action: ["win", "lose", "a", "b", "c"][rng.below(5)]!, entropy: 1.5 }),
    update(groups, options) {
      batches.push({ groups, options });
      return NOTHING;
    },
  };
  return { batches, learner: learner as Learner<LineData, string, string> };
}

const lines = taskSet(Array.from({ length: 7 }, (_, n) => ({ id: `line/${n}`, data: { length: 3 + n } })));
const scorer = {
  name: "s",
  score: ({ node }: { node: { branch: string } }) => (1 + Number(node.branch.at(-1))) / 10,
};
const strategies: readonly Strategy[] = [
  independent({ n: 3 }),
  patr({ every: 2 }),
  treeRandom({ every: 2, children: 3 }),
  arpo({ branches: 2, maxLeaves: 5 }),
];

function lineTrainer(options: Partial<TrainerOptions<LineData, string, string>> & { strategy: Strategy }) {
  const { batches, learner } = recorder();
  const world = new LineWorld();
  const base = { learner, env: world.make, tasks: lines, scorer, seed: 4, stepsPerUpdate: 50 };
  return { batches, world, trainer: createTrainer({ ...base, ...options }) };
}

describe("the budget law: after update u, at least u * stepsPerUpdate env steps and less than one tree more", () => {
  test.each(strategies)("$name", async (strategy) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 120 }), fc.nat(), async (stepsPerUpdate, seed) => {
        const { batches, trainer } = lineTrainer({ strategy, stepsPerUpdate, seed });
        let spent = 0;
        for (let update = 1; update <= 6; update++) {
          const report = await trainer.next();
          const steps = batches.at(-1)!.groups.map(({ tree }) => tree.budget.envSteps);
          spent += steps.reduce((sum, each) => sum + each, 0);
          expect(report).toMatchObject({ update, envSteps: spent, trees: steps.length });
          expect(spent).toBeGreaterThanOrEqual(update * stepsPerUpdate);
          // Without the last tree that was added, the price had not been spent yet.
          if (steps.length > 0) expect(spent - steps.at(-1)!).toBeLessThan(update * stepsPerUpdate);
        }
      }),
      { numRuns: 25 },
    );
  });
});

test("every strategy sees the tasks in the same order, each once before any comes again", async () => {
  const orders = [];
  for (const strategy of strategies) {
    const { batches, trainer } = lineTrainer({ strategy });
    while (batches.flatMap(({ groups }) => groups).length < 14) await trainer.next();
    orders.push(batches.flatMap(({ groups }) => groups.map(({ task }) => task.id)).slice(0, 14));
  }
  for (const order of orders) expect(order).toEqual(orders[0]);
  const [first, second] = [orders[0]!.slice(0, 7), orders[0]!.slice(7)];
  expect(new Set(first).size).toBe(7);
  expect(second).toEqual(first);
  const other = lineTrainer({ strategy: strategies[0]!, seed: 5, stepsPerUpdate: 500 });
  await other.trainer.next();
  expect(other.batches[0]!.groups.slice(0, 7).map(({ task }) => task.id)).not.toEqual(first);
});

test("a task that comes again is rolled out anew", async () => {
  const one = taskSet([{ id: "line/one", data: { length: 9 } }]);
  const { batches, trainer } = lineTrainer({
    strategy: independent({ n: 4 }),
    tasks: one,
    stepsPerUpdate: 200,
  });
  await trainer.next();
  const seen = batches[0]!.groups.map(({ tree }) => tree.leaves.map(({ node }) => node.observation).join());
  expect(seen.length).toBeGreaterThan(3);
  expect(new Set(seen).size).toBe(seen.length);
});

test("a report counts what the batch holds", async () => {
  const { batches, trainer } = lineTrainer({ strategy: independent({ n: 4 }), stepsPerUpdate: 200 });
  const report = await trainer.next();
  const { groups } = batches[0]!;
  const rewards = groups.flatMap((group) => group.rewards);
  const turns = groups.flatMap(({ leaves }) => leaves.map(({ node }) => node.turn));
  expect(report.mixed).toBe(groups.filter(isMixed).length / groups.length);
  expect(report.success).toBe(rewards.filter((reward) => reward > 0).length / rewards.length);
  expect(report.turns).toBeCloseTo(turns.reduce((sum, turn) => sum + turn, 0) / turns.length, 12);
  expect([report.entropy, report.learning]).toEqual([1.5, NOTHING]);
  expect([report.mixed, report.success].every((share) => share > 0 && share < 1)).toBe(true);
});

describe("dynamic sampling", () => {
  test("leaves groups of equal rewards out of the batch, and spends and reports the same", async () => {
    const strategy = independent({ n: 3 });
    const plain = lineTrainer({ strategy });
    const dapo = lineTrainer({ strategy, dynamicSampling: true, update: { aggregation: "token-mean" } });
    for (let update = 1; update <= 5; update++) {
      expect(await dapo.trainer.next()).toEqual(await plain.trainer.next());
      const [all, kept] = [plain.batches.at(-1)!.groups, dapo.batches.at(-1)!.groups];
      expect(kept.map(({ task }) => task.id)).toEqual(all.filter(isMixed).map(({ task }) => task.id));
    }
    const count = ({ batches }: typeof plain) => batches.flatMap(({ groups }) => groups).length;
    expect(count(dapo)).toBeLessThan(count(plain));
    expect(dapo.batches[0]!.options).toEqual({ aggregation: "token-mean" });
    expect(plain.batches[0]!.options).toBeUndefined();
  });

  test("a batch without a mixed group ends all the same, and trains on nothing", async () => {
    const { learner, batches } = recorder();
    const lost = { ...learner, act: () => ({ action: "lose" }) };
    const strategy = independent({ n: 3 });
    const { trainer } = lineTrainer({ strategy, learner: lost, dynamicSampling: true, stepsPerUpdate: 30 });
    expect(await trainer.next()).toMatchObject({ envSteps: 30, trees: 10, mixed: 0, success: 0 });
    expect(batches).toEqual([{ groups: [], options: undefined }]);
  });
});

describe("trees that fail", () => {
  test("do not go on for ever: one that took no step is charged one", async () => {
    const { batches, world, trainer } = lineTrainer({ strategy: independent({ n: 2 }), stepsPerUpdate: 8 });
    world.fault = (operation) => {
      if (operation === "reset") throw new Error("no lake");
    };
    const report = await trainer.next();
    expect(report).toMatchObject({ update: 1, envSteps: 8, trees: 8, mixed: 0, problems: 8 });
    expect(report.problem).toMatch(/^line\/\d: .*no lake$/);
    expect(batches[0]!.groups).toEqual([]);
    expect(await trainer.next()).toMatchObject({ update: 2, envSteps: 16 });
    expect(world.opened - world.closed).toBe(0);
  });

  /** Whatever does not win at once breaks the Env. */
  const onlyWins = (operation: string, history: string) => {
    if (operation === "step" && history !== "/win") throw new Error("broken ice");
  };

  test("count for success only where they have a reward", async () => {
    const { world, trainer } = lineTrainer({ strategy: independent({ n: 4 }) });
    world.fault = onlyWins;
    expect((await trainer.next()).success).toBe(1);
    world.fault = (operation) => {
      if (operation === "step") throw new Error("no ice");
    };
    expect(await trainer.next()).toMatchObject({ success: Number.NaN, mixed: 0, leftOut: 0 });
  });

  test("and leave one leaf are in no batch, and counted", async () => {
    const strategy = independent({ n: 4 });
    const [plain, dapo] = [lineTrainer({ strategy }), lineTrainer({ strategy, dynamicSampling: true })];
    for (const { world } of [plain, dapo]) world.fault = onlyWins;
    const [report, same] = [await plain.trainer.next(), await dapo.trainer.next()];
    const sizes = plain.batches[0]!.groups.map(({ leaves }) => leaves.length);
    expect(report.leftOut).toBeGreaterThan(0);
    expect(sizes.length).toBeGreaterThan(0);
    expect(Math.min(...sizes)).toBe(2);
    expect(report.trees).toBeGreaterThanOrEqual(sizes.length + report.leftOut);
    expect([same.leftOut, dapo.batches[0]!.groups]).toEqual([report.leftOut, []]);
    plain.world.fault = () => {};
    expect((await plain.trainer.next()).leftOut).toBe(0);
  });

  test("do not keep a group that is meant to have one leaf out of the batch", async () => {
    const { batches, trainer } = lineTrainer({ strategy: independent({ n: 1 }) });
    const { leftOut, trees } = await trainer.next();
    expect([leftOut, batches[0]!.groups.length]).toEqual([0, trees]);
  });

  test("leave what has no reward out of the batch", async () => {
    const { batches, world, trainer } = lineTrainer({ strategy: independent({ n: 8 }), stepsPerUpdate: 100 });
    world.fault = (operation, history) => {
      if (operation === "step" && history.endsWith("/c")) throw new Error("broken ice");
    };
    const report = await trainer.next();
    const { groups } = batches[0]!;
    expect(groups.some(({ dropped }) => dropped > 0)).toBe(true);
    for (const { leaves } of groups) for (const { end } of leaves) expect(end).not.toBe("error");
    expect(report.trees).toBeGreaterThanOrEqual(groups.length);
    expect(report.leftOut).toBe(0);
    expect(report.problems).toBe(groups.flatMap(({ tree }) => tree.problems).length);
    world.fault = () => {};
    const whole = await trainer.next();
    expect([whole.problems, "problem" in whole]).toEqual([0, false]);
  });
});

describe("with the learner on rLLM's lakes", () => {
  const tasks = frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-test")!.make();
  const make = (seed = 1) => {
    const learner = createLearner<unknown, never, never>({
      ...(frozenLakeKit.learning! as object as { features: never; actions: never }),
      hidden: 8,
      seed,
    });
    const trainer = createTrainer({
      learner,
      env: frozenLakeKit.make as never,
      tasks,
      strategy: patr({ every: 5 }),
      scorer: frozenLakeKit.progress! as never,
      seed,
      stepsPerUpdate: 150,
    });
    return { learner, trainer };
  };
  const updates = async ({ trainer }: ReturnType<typeof make>, count: number): Promise<UpdateReport[]> => {
    const reports: UpdateReport[] = [];
    for (let update = 0; update < count; update++) reports.push(await trainer.next());
    return reports;
  };

  test("the same seed gives the same reports and weights, another one others", async () => {
    const [a, b, c] = [make(), make(), make(2)];
    const reports = await updates(a, 4);
    expect(await updates(b, 4)).toEqual(reports);
    expect(b.learner.save()).toEqual(a.learner.save());
    expect(await updates(c, 4)).not.toEqual(reports);
  });

  test("saved and loaded in another process it goes on as if nothing had happened", async () => {
    const whole = make();
    const reports = await updates(whole, 7);
    for (const cut of [0, 1, 5]) {
      const before = make();
      await updates(before, cut);
      const saved = JSON.stringify([before.trainer.state(), before.learner.save()]);
      const [state, learned] = JSON.parse(saved);
      // Weights of another seed, so that forgetting to load them would show.
      const after = make();
      const other = make(3);
      after.learner.load(other.learner.save());
      after.learner.load(learned);
      after.trainer.load(state);
      expect(await updates(after, 7 - cut)).toEqual(reports.slice(cut));
      expect(after.learner.save()).toEqual(whole.learner.save());
      expect(after.trainer.state()).toEqual(whole.trainer.state());
    }
  });

  test("a state that was handed out or loaded is a copy", async () => {
    const { trainer } = make();
    const early = trainer.state();
    const text = JSON.stringify(early);
    await trainer.next();
    expect(JSON.stringify(early)).toBe(text);
    const mine = { update: 3, cursor: 9, envSteps: 500 };
    trainer.load(mine);
    mine.cursor = 0;
    expect(trainer.state()).toEqual({ update: 3, cursor: 9, envSteps: 500 } satisfies JsonObject);
  });
});

test("an option that there is not is refused", () => {
  const options = { strategy: independent(), dynamicSamplng: true } as Parameters<typeof lineTrainer>[0];
  expect(() => lineTrainer(options)).toThrow(InputError);
  expect(() => lineTrainer(options)).toThrow(
    "trainer: no option `dynamicSamplng`; it has learner, env, tasks",
  );
});

test.each([0, -1, 1.5, Number.NaN])("a price of %s is refused", (stepsPerUpdate) => {
  expect(() => lineTrainer({ strategy: independent(), stepsPerUpdate })).toThrow(InputError);
  expect(() => lineTrainer({ strategy: independent(), stepsPerUpdate })).toThrow(
    `trainer: expected \`stepsPerUpdate\` to be a whole number from 1 up, got ${stepsPerUpdate}`,
  );
});
