import { expect, test } from "vitest";
import { scripted } from "../../agents/scripted.ts";
import { rollout } from "../../core/rollout/engine.ts";
import { independent } from "../../core/rollout/strategies/independent.ts";
import { type LineData, LineWorld } from "../fakes/line-env.ts";

async function play(script: Parameters<typeof scripted<LineData, string, string>>[0]) {
  const task = { id: "line/3", data: { length: 3 } };
  const strategy = independent({ n: 2 });
  return rollout(task, { env: new LineWorld().make, policy: scripted(script), strategy, seed: 1 });
}

test("a list is played in every branch", async () => {
  const { nodes, leaves, policy } = await play(["a", "b", "win"]);
  expect(policy).toBe("scripted");
  expect(nodes.slice(1).map(({ branch, choice }) => `${branch}${choice!.action}`)).toEqual([
    "0a",
    "0b",
    "0win",
    "1a",
    "1b",
    "1win",
  ]);
  expect(leaves.map(({ end }) => end)).toEqual(["success", "success"]);
});

test("a function sees the turn", async () => {
  const { nodes } = await play(({ branch, node, task }) => `${task.data.length}${branch}${node.turn}`);
  expect(nodes.slice(1, 4).map(({ choice }) => choice!.action)).toEqual(["300", "301", "302"]);
});

test("a list that is used up is an error of the branch that says so", async () => {
  const { leaves } = await play(["a"]);
  expect(leaves).toMatchObject(
    ["0", "1"].map((branch) => ({
      branch,
      end: "error",
      error: "scripted: no action for turn 2, the script has 1",
    })),
  );
});
