import { expect, test } from "vitest";
import { branchDigest } from "../../../agents/judge/branch-digest.ts";
import { branchOf, TASK } from "./lab.ts";

const turns: readonly (readonly [string, string])[] = [
  ["ls", "a.py"],
  ["cat a.py", "1/0"],
];

test("equal branches have equal digests, whatever their paths and rewards", () => {
  const one = branchOf(turns);
  const two = { ...branchOf(turns), branch: "3.1", reward: 5 };
  expect(branchDigest(TASK, one)).toMatch(/^[0-9a-f]{64}$/);
  expect(branchDigest(TASK, two)).toBe(branchDigest(TASK, one));
});

test("any action, observation or order, and the task, makes another digest", () => {
  const nodes = [
    branchOf(turns),
    branchOf(turns.slice(0, 1)),
    branchOf(turns.toReversed()),
    branchOf([["ls", "b.py"], turns[1]!]),
    branchOf([["ls -l", "a.py"], turns[1]!]),
    branchOf(turns, "another start"),
    branchOf([
      ["ls", "a.pycat a.py"],
      ["", "1/0"],
    ]),
  ];
  const others = [
    { ...TASK, id: "u" },
    { ...TASK, data: { issue: "other" } },
  ];
  const digests = [
    ...nodes.map((node) => branchDigest(TASK, node)),
    ...others.map((task) => branchDigest(task, nodes[0]!)),
  ];
  expect(new Set(digests).size).toBe(digests.length);
});

test("a branch of many turns does not overflow the stack", () => {
  expect(
    branchDigest(TASK, branchOf(Array.from({ length: 20_000 }, () => ["a", "b"] as const))),
  ).toHaveLength(64);
});
