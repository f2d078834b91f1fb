import { expect, test } from "vitest";
import { random } from "../../agents/random.ts";
import { rollout } from "../../core/rollout/engine.ts";
import { independent } from "../../core/rollout/strategies/independent.ts";
import { type LineData, LineWorld } from "../fakes/line-env.ts";

const policy = random<LineData, string, string>((rng) => "abcd"[rng.below(4)]!);

async function actions(seed: number): Promise<string[]> {
  const task = { id: "line/40", data: { length: 40 } };
  const strategy = independent({ n: 2 });
  const { nodes } = await rollout(task, { env: new LineWorld().make, policy, strategy, seed });
  return nodes.slice(1).map(({ branch, choice }) => `${branch}${choice!.action}`);
}

test("actions come from the branch's own stream: the same for a seed, others for another and another branch", async () => {
  const [first, again, other] = [await actions(1), await actions(1), await actions(2)];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  const of = (branch: string) => first.filter((step) => step[0] === branch).map((step) => step[1]);
  expect(of("0")).not.toEqual(of("1"));
  expect(new Set(of("0"))).toEqual(new Set("abcd"));
});

test("it says nothing about probabilities", async () => {
  const task = { id: "line/1", data: { length: 1 } };
  const strategy = independent({ n: 1 });
  const { nodes, policy: name } = await rollout(task, {
    env: new LineWorld().make,
    policy,
    strategy,
    seed: 1,
  });
  expect(name).toBe("random");
  expect(Object.keys(nodes[1]!.choice!)).toEqual(["action"]);
});
