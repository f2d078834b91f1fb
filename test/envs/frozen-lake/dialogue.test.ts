import { expect, test } from "vitest";
import { rllmDialogue, rllmDialogueWith } from "../../../envs/frozen-lake/dialogue.ts";
import { gridText } from "../../../envs/frozen-lake/grid.ts";
import type { RllmLakeData } from "../../../envs/frozen-lake/rllm-rules.ts";
import { playNodes, rows, taskOf } from "./lakes.ts";

const task = taskOf<RllmLakeData>({ map: rows("FFSF/FHFF/FFFH/GHFF"), maxTurns: 3 });

test("the opening is one system message with symbols, actions and answer format", () => {
  const [system, ...rest] = rllmDialogue.opening(task);
  expect(rest).toEqual([]);
  expect(system!.role).toBe("system");
  for (const part of ["P player", "O hole", "G goal", "Up, Down, Left, Right", "```Right```"]) {
    expect(system!.content).toContain(part);
  }
});

test("the ice is called slippery when it is, or on demand", () => {
  const says = (data: Partial<RllmLakeData>, slipperyText?: boolean): boolean => {
    const dialogue = slipperyText === undefined ? rllmDialogue : rllmDialogueWith({ slipperyText });
    return dialogue.opening(taskOf({ ...task.data, ...data }))[0]!.content.includes("slippery");
  };
  expect(says({})).toBe(false);
  expect(says({ isSlippery: true })).toBe(true);
  expect(says({}, true)).toBe(true);
  expect(says({ isSlippery: true }, false)).toBe(false);
});

test("a turn shows the grid, the turns left, and a remark only if nothing changed", async () => {
  const nodes = await playNodes(task.data, ["up", "right", "invalid"]);
  const texts = nodes.map((node) => rllmDialogue.observe(task, node).content);
  nodes.forEach((node, i) => {
    expect(rllmDialogue.observe(task, node).role).toBe("user");
    expect(texts[i]).toContain(`Lake after ${i} of your turns:\n${gridText(node.observation)}\n`);
  });
  expect(texts.map((text) => text.includes("changed nothing"))).toEqual([false, true, false, true]);
  expect(texts.map((text) => /Turns left: (\d+)\.$/.exec(text)?.[1])).toEqual(["3", "2", "1", undefined]);
});

test("after the end a message says what happened", async () => {
  const won = await playNodes({ map: rows("SG") }, ["right"]);
  expect(rllmDialogue.observe(task, won.at(-1)!).content).toContain("P has reached G");
  const lost = await playNodes(task.data, ["down", "left"]);
  expect(rllmDialogue.observe(task, lost.at(-1)!).content).toContain("fell into a hole");
});

test("replies are read by rLLM's rules", () => {
  expect(rllmDialogue.parse("so ```Up```")).toBe("up");
  expect(rllmDialogue.parse("up")).toBe("invalid");
});
