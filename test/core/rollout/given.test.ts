import { describe, expect, test } from "vitest";
import { InputError } from "../../../core/errors.ts";
import { type RolloutOptions, rollout } from "../../../core/rollout/engine.ts";
import { arpo } from "../../../core/rollout/strategies/arpo.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { treeRandom } from "../../../core/rollout/strategies/tree-random.ts";
import { grpo } from "../../../core/training/advantage.ts";
import { rowsByLeaf } from "../../../core/training/rows.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";

/** As somebody writes it in JavaScript, where no compiler looks. */
type Loose = Readonly<Record<string, unknown>>;

const task = { id: "line/2", data: { length: 2 } };

function start(options: Loose, of: unknown = task): { world: LineWorld; tree: Promise<unknown> } {
  const world = new LineWorld();
  const whole = {
    env: world.make,
    policy: { name: "win", act: () => ({ action: "win" }) },
    strategy: independent({ n: 1 }),
    seed: 1,
    ...options,
  };
  const tree = rollout(of as typeof task, whole as unknown as RolloutOptions<LineData, string, string>);
  return { world, tree };
}

describe("a rollout that is given too little or too much is refused before anything is opened", () => {
  test.each<[string, Loose]>([
    ["`policy` to be a policy, an object with `act`, got undefined", { policy: undefined }],
    ["`policy` to be a policy, an object with `act`, got a value of type object", { policy: {} }],
    ["`env` to be a function that makes an Env, got a value of type object", { env: {} }],
    ["`strategy` to be a strategy, patr() for example, got undefined", { strategy: undefined }],
    ["`strategy.roots` to be a whole number from 0 up, got undefined", { strategy: {} }],
    ["`scorer` to be a scorer, an object with `score`, got null", { scorer: null }],
    ["no option `polcy`; it has env, policy, strategy, scorer, seed, limits,", { polcy: 1 }],
    ["`limits`: no option `turnz`; it has turns, treeTurns, turnMs, treeMs,", { limits: { turnz: 3 } }],
    ["`limits`: expected options as an object, got 3", { limits: 3 }],
  ])("%s", async (message, options) => {
    const { world, tree } = start(options);
    await expect(tree).rejects.toThrow(InputError);
    await expect(tree).rejects.toThrow(message);
    expect(world.opened).toBe(0);
  });

  test("so is one without a task", async () => {
    await expect(start({}, {}).tree).rejects.toThrow(
      "rollout: expected `task` to be a task with an `id`, got",
    );
    await expect(start({}, null).tree).rejects.toThrow("`task` to be a task with an `id`, got null");
  });
});

test.each<[string, (options: never) => unknown]>([
  ["patr", patr],
  ["treeRandom", treeRandom],
  ["arpo", arpo],
  ["independent", independent],
  ["grpo", (options) => grpo([1], options)],
  ["rowsByLeaf", (options) => rowsByLeaf({ leaves: [] } as never, [], options)],
])("%s refuses an option that it does not have", (part, make) => {
  expect(() => make({ evry: 3 } as never)).toThrow(InputError);
  expect(() => make({ evry: 3 } as never)).toThrow(`${part}: no option \`evry\`; it has `);
  expect(() => make(8 as never)).toThrow(`${part}: expected options as an object, got 8`);
});

test("a kind of deviation or of prefix that there is not is named, whatever the rewards", () => {
  expect(() => grpo([1], { std: "foo" as "none" })).toThrow(
    "grpo: expected `std` to be one of population, sample, none, got foo",
  );
  expect(() => rowsByLeaf({ leaves: [] } as never, [], { prefix: "all" as "once" })).toThrow(
    "rowsByLeaf: expected `prefix` to be one of every-leaf, 1/leaves, once, got all",
  );
});
