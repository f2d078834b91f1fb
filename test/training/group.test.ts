import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.ts";
import { groupOf, isMixed, isRemnant } from "../../core/training/group.ts";
import { tinyTree } from "./tiny-tree.ts";

describe("groupOf", () => {
  it("takes the leaves with a reward, in the tree's order", () => {
    const tree = tinyTree([
      {
        turns: [0],
        next: [
          { turns: [1], reward: 1 },
          { turns: [2], reward: 0 },
        ],
      },
      { turns: [1], reward: 0.5, end: "pruned-repeat" },
    ]);
    const group = groupOf(tree);
    expect(group.leaves.map(({ branch }) => branch)).toEqual(["0.0", "0.1", "1"]);
    expect(group.rewards).toEqual([1, 0, 0.5]);
    expect(group).toMatchObject({ complete: true, dropped: 0 });
    expect(group.tree).toBe(tree);
    expect(group.task).toBe(tree.task);
  });

  it("leaves a failed branch out instead of taking it for a zero, and says that it is incomplete", () => {
    for (const end of ["error", "aborted"] as const) {
      const group = groupOf(
        tinyTree([
          { turns: [0], reward: 1 },
          { turns: [0], end },
        ]),
      );
      expect(group.rewards).toEqual([1]);
      expect(group).toMatchObject({ complete: false, dropped: 1 });
    }
  });

  it("is complete without a branch that the strategy dropped, and counts it", () => {
    const group = groupOf(
      tinyTree([
        { turns: [0], reward: 1 },
        { turns: [0], end: "pruned-score" },
      ]),
    );
    expect(group).toMatchObject({ complete: true, dropped: 1 });
  });

  it("is incomplete if the tree has no leaf", () => {
    expect(groupOf(tinyTree([]))).toMatchObject({ complete: false, dropped: 0, rewards: [] });
  });

  it("names the task and the branch of a reward that is not a number", () => {
    const tree = tinyTree(
      [
        { turns: [0], reward: 1 },
        { turns: [0], reward: Number.NaN },
      ],
      { id: "t7" },
    );
    expect(() => groupOf(tree)).toThrow(InputError);
    expect(() => groupOf(tree)).toThrow(/NaN at branch 1 of task t7/);
  });
});

describe("isRemnant", () => {
  const tried = (...ends: ("success" | "error" | "aborted" | "pruned-score")[]) =>
    isRemnant(
      groupOf(
        tinyTree(ends.map((end) => ({ turns: [0], end, ...(end === "success" ? { reward: 1 } : {}) }))),
      ),
    );
  it("tells whether failures left one leaf", () => {
    expect(tried("success", "error")).toBe(true);
    expect(tried("aborted", "success", "error")).toBe(true);
    expect(tried("success")).toBe(false);
    expect(tried("success", "pruned-score")).toBe(false);
    expect(tried("success", "success", "error")).toBe(false);
    expect(tried("error")).toBe(false);
    expect(isRemnant({ rewards: [1] })).toBe(false);
  });
});

describe("isMixed", () => {
  it("tells whether rewards differ", () => {
    expect(isMixed({ rewards: [0, 0, 1] })).toBe(true);
    expect(isMixed({ rewards: [0.1, 0.1, 0.1] })).toBe(false);
    expect(isMixed({ rewards: [1] })).toBe(false);
    expect(isMixed({ rewards: [] })).toBe(false);
  });
});
