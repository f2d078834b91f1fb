import { expect, test } from "vitest";
import { evaluate } from "../../../agents/learner/evaluate.ts";
import { scripted } from "../../../agents/scripted.ts";
import type { Policy } from "../../../core/policy.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";
import { taskSet } from "../../fakes/task-set.ts";

const tasks = taskSet(["a", "b", "c"].map((id) => ({ id, data: { length: 4 } })));
const env = new LineWorld().make;
const seed = 1;

test("success is the share of all episodes, pass the share of the tasks won at least once", async () => {
  // Task a is won in one of four episodes, b in all of them, c never: 5 of 12, and 2 of 3.
  const policy = scripted<LineData, string, string>(({ task, branch }) =>
    task.id === "b" || (task.id === "a" && branch === "2") ? "win" : "lose",
  );
  expect(await evaluate({ policy, env, tasks, seed })).toEqual({ success: 5 / 12, pass: 2 / 3, failed: 0 });
});

test("four episodes a task, or as many as it is told", async () => {
  const branches: string[] = [];
  const policy = scripted<LineData, string, string>(({ task, branch }) => {
    branches.push(`${task.id}${branch}`);
    return "win";
  });
  await evaluate({ policy, env, tasks, seed });
  expect(branches.sort()).toEqual(["a", "b", "c"].flatMap((id) => ["0", "1", "2", "3"].map((n) => id + n)));
  branches.length = 0;
  expect(await evaluate({ policy, env, tasks, seed, samples: 2 })).toEqual({
    success: 1,
    pass: 1,
    failed: 0,
  });
  expect(branches).toHaveLength(6);
});

test("an episode that fails is neither won nor lost, and is counted", async () => {
  const world = new LineWorld();
  const policy = scripted<LineData, string, string>(({ branch }) =>
    branch === "0" ? "break" : branch === "1" ? "lose" : "win",
  );
  world.fault = (operation, history) => {
    if (operation === "step" && history === "/break") throw new Error("broken");
  };
  expect(await evaluate({ policy, env: world.make, tasks, seed })).toEqual({
    success: 6 / 9,
    pass: 1,
    failed: 3,
  });
  world.fault = (operation) => {
    if (operation === "reset") throw new Error("no start");
  };
  expect(await evaluate({ policy, env: world.make, tasks, seed })).toEqual({
    success: Number.NaN,
    pass: Number.NaN,
    failed: 12,
  });
  expect(world.opened - world.closed).toBe(0);
});

test("the same seed gives the same result, another one another", async () => {
  const policy: Policy<LineData, string, string> = {
    name: "coin",
    act: ({ rng }) => ({ action: rng.next() < 0.5 ? "win" : "lose" }),
  };
  const many = taskSet(Array.from({ length: 60 }, (_, n) => ({ id: `t${n}`, data: { length: 4 } })));
  const result = (one: number) => evaluate({ policy, env, tasks: many, seed: one });
  expect(await result(5)).toEqual(await result(5));
  expect(await result(5)).not.toEqual(await result(6));
});
