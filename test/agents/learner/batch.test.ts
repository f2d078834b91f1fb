import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { actionIndex } from "../../../agents/learner/actions.ts";
import { type BatchOptions, createBatchGradient } from "../../../agents/learner/batch.ts";
import { createNetwork, entropyOf, type Network } from "../../../agents/learner/network.ts";
import { InputError } from "../../../core/errors.ts";
import type { Features } from "../../../core/features.ts";
import { createRng } from "../../../core/rng.ts";
import { grpo } from "../../../core/training/advantage.ts";
import { groupOf } from "../../../core/training/group.ts";
import { clippedObjective } from "../../../core/training/objective.ts";
import { type PrefixWeight, type Row, rowsByEdge, rowsByLeaf } from "../../../core/training/rows.ts";
import { type TinyNode, tinyTree, tinyTrees } from "../../training/tiny-tree.ts";
import { tinyActions, tinyFeatures } from "./tiny-features.ts";

type TinyRow = Row<number, number>;

function tinyNetwork(): Network {
  const { size, count } = tinyFeatures;
  const made = createNetwork({ size, count, hidden: 8, actions: 3 }, createRng(4));
  const rng = createRng("wide");
  for (let i = 0; i < made.parameters.length; i++) made.parameters[i]! += rng.next() - 0.5;
  return made;
}

/** The same features, counting how often they are asked. */
function counted(): Features<number, number> & { calls: number } {
  const features = {
    ...tinyFeatures,
    calls: 0,
    write(node: TinyNode, out: Int32Array) {
      features.calls++;
      tinyFeatures.write(node, out);
    },
  };
  return features;
}

/** Every turn of every row by itself, forward and backward, as often as it occurs. */
function naive(rows: readonly TinyRow[], { entropyBonus = 0, ...options }: BatchOptions) {
  const network = tinyNetwork();
  const gradient = new Float64Array(network.parameters.length);
  const at = network.lanes(1);
  const forward = (node: TinyNode): number => {
    tinyFeatures.write(node.parent!, at.features);
    network.forward(at, 0);
    return at.logprobs[node.choice!.action]!;
  };
  const objective = clippedObjective(
    rows.map(({ nodes, advantage, weights }) => ({
      logprobs: nodes.map(forward),
      oldLogprobs: nodes.map((node) => node.choice!.logprob!),
      advantage,
      weights,
    })),
    options,
  );
  const trained = new Set<TinyNode>();
  rows.forEach(({ nodes, weights }, index) => {
    nodes.forEach((node, t) => {
      if (weights[t] === 0) return;
      trained.add(node);
      forward(node);
      network.backward(at, 0, node.choice!.action, objective.gradients[index]![t]!, 0, gradient);
    });
  });
  let entropySum = 0;
  for (const node of trained) {
    forward(node);
    entropySum += entropyOf(at, 0, 3);
    network.backward(at, 0, node.choice!.action, 0, -entropyBonus / trained.size, gradient);
  }
  return { ...objective, gradient, entropySum };
}

const batches = fc.record({
  trees: fc.array(tinyTrees, { minLength: 1, maxLength: 3 }),
  form: fc.constantFrom<PrefixWeight | "edge">("every-leaf", "1/leaves", "once", "edge"),
  options: fc.record({
    aggregation: fc.constantFrom("token-mean" as const, "seq-mean-token-mean" as const),
    entropyBonus: fc.constantFrom(0, 0.1),
  }),
});

function rowsOf(
  trees: readonly Parameters<typeof groupOf<null, number, number>>[0][],
  form: PrefixWeight | "edge",
) {
  return trees.map(groupOf<null, number, number>).flatMap((group) => {
    const advantages = grpo(group.rewards);
    return form === "edge" ? rowsByEdge(group, advantages) : rowsByLeaf(group, advantages, { prefix: form });
  });
}

describe("createBatchGradient", () => {
  it("has the loss and gradient of computing every turn of every row by itself", () => {
    fc.assert(
      fc.property(batches, ({ trees, form, options }) => {
        const rows = rowsOf(trees, form);
        const network = tinyNetwork();
        const gradient = new Float64Array(network.parameters.length);
        const stats = createBatchGradient(network, tinyFeatures, actionIndex(tinyActions))(
          rows,
          options,
          gradient,
        );
        const expected = naive(rows, options);
        expect(stats.loss).toBeCloseTo(expected.loss, 10);
        expect(stats.clipFraction).toBeCloseTo(expected.clipFraction, 10);
        if (options.entropyBonus > 0) expect(stats.entropySum).toBeCloseTo(expected.entropySum, 10);
        gradient.forEach((value, i) => {
          expect(Math.abs(value - expected.gradient[i]!)).toBeLessThan(1e-12 + 1e-12 * Math.abs(value));
        });
      }),
    );
  });

  it("computes a shared turn once, and a turn whose rows have advantage 0 not at all", () => {
    const mixed = tinyTree([
      {
        turns: [0, 0],
        next: [
          { turns: [1], reward: 1 },
          { turns: [2], reward: 0 },
        ],
      },
    ]);
    const uniform = tinyTree([
      { turns: [0, 1], reward: 1 },
      { turns: [0], reward: 1 },
    ]);
    const features = counted();
    const network = tinyNetwork();
    const gradientOf = createBatchGradient(network, features, actionIndex(tinyActions));
    const gradient = new Float64Array(network.parameters.length);
    expect(gradientOf(rowsOf([mixed, uniform], "every-leaf"), {}, gradient)).toMatchObject({
      turns: 4,
      moved: true,
    });
    expect(features.calls).toBe(4);
    expect(gradientOf(rowsOf([uniform], "every-leaf"), {}, gradient.fill(0))).toMatchObject({
      turns: 0,
      moved: false,
    });
    expect(features.calls).toBe(4);
    expect(gradient.every((value) => value === 0)).toBe(true);
    expect(gradientOf(rowsOf([uniform], "every-leaf"), { entropyBonus: 0.1 }, gradient).turns).toBe(3);
  });

  it("does not compute a turn that every row masks", () => {
    const [row] = rowsOf([tinyTree([{ turns: [0, 1, 2], reward: 1 }])], "every-leaf");
    const network = tinyNetwork();
    const gradient = new Float64Array(network.parameters.length);
    const gradientOf = createBatchGradient(network, tinyFeatures, actionIndex(tinyActions));
    const masked = { ...row!, weights: [0, 1, 0] };
    expect(gradientOf([masked], { entropyBonus: 0.1 }, gradient).turns).toBe(1);
  });

  it("grows with the batch", () => {
    const wide = tinyTree(
      Array.from({ length: 100 }, (_, i) => ({ turns: [i % 3, (i + 1) % 3], reward: i % 2 })),
    );
    const rows = rowsOf([wide], "every-leaf");
    const network = tinyNetwork();
    const gradient = new Float64Array(network.parameters.length);
    expect(
      createBatchGradient(network, tinyFeatures, actionIndex(tinyActions))(rows, {}, gradient).turns,
    ).toBe(200);
    const expected = naive(rows, {}).gradient;
    gradient.forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i]!, 10);
    });
  });

  it("names a turn that cannot be trained on", () => {
    const network = tinyNetwork();
    const gradientOf = createBatchGradient(network, tinyFeatures, actionIndex(tinyActions));
    const train = (rows: readonly TinyRow[]) =>
      gradientOf(rows, {}, new Float64Array(network.parameters.length));
    const [row] = rowsOf([tinyTree([{ turns: [1], reward: 1 }])], "every-leaf");
    const node = row!.nodes[0]!;
    expect(() => train([{ ...row!, nodes: [{ ...node, choice: { action: 1 } }] }])).toThrow(InputError);
    expect(() => train([{ ...row!, nodes: [{ ...node, choice: { action: 1 } }] }])).toThrow(
      /no `choice.logprob`/,
    );
    expect(() => train([{ ...row!, nodes: [{ ...node, choice: { action: 7 } }] }])).toThrow(
      /7 is not one of/,
    );
    expect(() => train([{ ...row!, nodes: [node.parent!] }])).toThrow(/must not hold the root/);
  });
});
