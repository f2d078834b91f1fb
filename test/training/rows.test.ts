import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.ts";
import { grpo } from "../../core/training/advantage.ts";
import type { Aggregation } from "../../core/training/aggregation.ts";
import { groupOf } from "../../core/training/group.ts";
import { clippedObjective } from "../../core/training/objective.ts";
import { type Row, rowsByEdge, rowsByLeaf } from "../../core/training/rows.ts";
import { type TinyNode, tinyTree, tinyTrees } from "./tiny-tree.ts";

type TinyRow = Row<number, number>;
const shape = (rows: readonly TinyRow[]) =>
  rows.map(({ leaf, nodes, advantage, weights }) => [
    leaf.branch,
    nodes.map((n) => n.observation),
    advantage,
    weights,
  ]);

// Nodes 1 2 | 3 and 4 5 below them; 6 alone.
const group = groupOf(
  tinyTree([
    {
      turns: [0, 0],
      next: [
        { turns: [1], reward: 1 },
        { turns: [2, 2], reward: 0 },
      ],
    },
    { turns: [1], reward: 0.5 },
  ]),
);

describe("rowsByLeaf", () => {
  it("puts the whole path into each leaf's row, root excluded", () => {
    expect(shape(rowsByLeaf(group, [10, 20, 30]))).toEqual([
      ["0.0", [1, 2, 3], 10, [1, 1, 1]],
      ["0.1", [1, 2, 4, 5], 20, [1, 1, 1, 1]],
      ["1", [6], 30, [1]],
    ]);
  });

  it("shares a turn's weight among its leaves with `1/leaves`", () => {
    const rows = rowsByLeaf(group, [10, 20, 30], { prefix: "1/leaves" });
    expect(rows.map(({ weights }) => weights)).toEqual([[0.5, 0.5, 1], [0.5, 0.5, 1, 1], [1]]);
  });

  it("trains a shared turn in its first row only with `once`", () => {
    const rows = rowsByLeaf(group, [10, 20, 30], { prefix: "once" });
    expect(rows.map(({ weights }) => weights)).toEqual([[1, 1, 1], [0, 0, 1, 1], [1]]);
  });

  it("has no row for a leaf that took no turn", () => {
    const stillborn = groupOf(
      tinyTree([
        { turns: [], reward: 0 },
        { turns: [1], reward: 1 },
      ]),
    );
    expect(shape(rowsByLeaf(stillborn, [-1, 1]))).toEqual([["1", [1], 1, [1]]]);
    expect(shape(rowsByEdge(stillborn, [-1, 1]))).toEqual([["1", [1], 1, [1]]]);
  });

  it("counts only leaves of the group when it shares a weight", () => {
    const partly = groupOf(
      tinyTree([
        {
          turns: [0],
          next: [
            { turns: [1], reward: 1 },
            { turns: [2], end: "error" },
          ],
        },
      ]),
    );
    expect(shape(rowsByLeaf(partly, [1], { prefix: "1/leaves" }))).toEqual([["0.0", [1, 2], 1, [1, 1]]]);
  });

  it("gives every turn above a leaf of the group weights that sum to 1, or to its leaves, and others none", () => {
    fc.assert(
      fc.property(tinyTrees, (tree) => {
        const any = groupOf(tree);
        const zeros = any.rewards.map(() => 0);
        for (const prefix of ["every-leaf", "1/leaves", "once"] as const) {
          const sums = weightSums(rowsByLeaf(any, zeros, { prefix }));
          for (const node of tree.nodes.slice(1)) {
            const below = any.leaves.filter((leaf) => isAbove(node, leaf.node)).length;
            const expected = prefix === "every-leaf" ? below : Math.min(below, 1);
            expect(sums.get(node) ?? 0).toBeCloseTo(expected, 12);
          }
        }
      }),
    );
  });

  it("asks for one finite advantage per leaf", () => {
    for (const rowsOf of [rowsByLeaf, rowsByEdge]) {
      expect(() => rowsOf(group, [1, 2])).toThrow(InputError);
      expect(() => rowsOf(group, [1, 2])).toThrow(/3 leaves of task tiny, got 2/);
      expect(() => rowsOf(group, [1, 2, Number.NaN])).toThrow(/NaN at index 2/);
    }
  });
});

describe("rowsByEdge", () => {
  it("has a row per segment, its prefix masked, with the mean advantage of the leaves below", () => {
    expect(shape(rowsByEdge(group, [10, 20, 30]))).toEqual([
      ["0.0", [1, 2], 15, [1, 1]],
      ["0.0", [1, 2, 3], 10, [0, 0, 1]],
      ["0.1", [1, 2, 4, 5], 20, [0, 0, 1, 1]],
      ["1", [6], 30, [1]],
    ]);
  });

  it("does not cut a segment where only a failed branch left it", () => {
    const partly = groupOf(
      tinyTree([
        {
          turns: [0],
          next: [
            { turns: [1], end: "error" },
            { turns: [2], reward: 1 },
          ],
        },
      ]),
    );
    expect(shape(rowsByEdge(partly, [3]))).toEqual([["0.1", [1, 3], 3, [1, 1]]]);
  });

  it("trains every turn above a leaf of the group exactly once", () => {
    fc.assert(
      fc.property(tinyTrees, (tree) => {
        const any = groupOf(tree);
        const sums = weightSums(rowsByEdge(any, grpo(any.rewards)));
        for (const node of tree.nodes.slice(1)) {
          expect(sums.get(node) ?? 0).toBe(any.leaves.some((leaf) => isAbove(node, leaf.node)) ? 1 : 0);
        }
      }),
    );
  });

  it.each<Aggregation>(["token-mean", "seq-mean-token-sum-norm"])(
    "has the loss and gradient of rows by leaf at 1/leaves under %s while nothing is clipped",
    (aggregation) => {
      fc.assert(
        fc.property(tinyTrees, fc.double({ min: -0.15, max: 0.15, noNaN: true }), (tree, shift) => {
          const any = groupOf(tree);
          const advantages = grpo(any.rewards);
          const byEdge = gradientsOf(rowsByEdge(any, advantages), shift, aggregation);
          const byLeaf = gradientsOf(rowsByLeaf(any, advantages, { prefix: "1/leaves" }), shift, aggregation);
          expect(byEdge.loss).toBeCloseTo(byLeaf.loss, 10);
          for (const node of tree.nodes) {
            expect(byEdge.of.get(node) ?? 0).toBeCloseTo(byLeaf.of.get(node) ?? 0, 10);
          }
        }),
      );
    },
  );
});

function isAbove(node: TinyNode, leaf: TinyNode): boolean {
  for (let at: TinyNode | undefined = leaf; at !== undefined; at = at.parent) if (at === node) return true;
  return false;
}

function weightSums(rows: readonly TinyRow[]): Map<TinyNode, number> {
  const sums = new Map<TinyNode, number>();
  for (const { nodes, weights } of rows) {
    nodes.forEach((node, t) => {
      sums.set(node, (sums.get(node) ?? 0) + weights[t]!);
    });
  }
  return sums;
}

/** Each turn's gradient, summed over rows, when the policy has moved by an amount that differs from turn to turn. */
function gradientsOf(rows: readonly TinyRow[], shift: number, aggregation: Aggregation) {
  const sequences = rows.map(({ nodes, advantage, weights }) => {
    const oldLogprobs = nodes.map((node) => node.choice!.logprob!);
    const logprobs = oldLogprobs.map((old, t) => old + shift * Math.sin(nodes[t]!.observation));
    return { logprobs, oldLogprobs, advantage, weights };
  });
  const { loss, gradients } = clippedObjective(sequences, { aggregation, scaleFactor: 10 });
  const of = new Map<TinyNode, number>();
  rows.forEach(({ nodes }, index) => {
    nodes.forEach((node, t) => {
      of.set(node, (of.get(node) ?? 0) + gradients[index]![t]!);
    });
  });
  return { loss, of };
}
