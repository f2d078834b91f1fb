import fc from "fast-check";
import { emptyBudget } from "../../core/rollout/budget.ts";
import type { BranchRecord, Leaf, LeafEnd, Node, Tree } from "../../core/rollout/tree.ts";

export type TinyNode = Node<number, number>;
export type TinyTree = Tree<null, number, number>;

/** A run of turns, then branches or a leaf. Turns are actions, or an action and its log-probability. */
export interface Segment {
  readonly turns: readonly (number | readonly [action: number, logprob: number])[];
  readonly next?: readonly Segment[];
  /** Of the leaf; ignored if `next` has branches. */
  readonly reward?: number;
  /** @default "success" */
  readonly end?: LeafEnd;
}

/** A tree written by hand. Every observation is the number of nodes before it, or what `observe` makes of it. */
export function tinyTree(
  segments: readonly Segment[],
  options: { readonly id?: string; readonly observe?: (index: number) => number } = {},
): TinyTree {
  const { id = "tiny", observe = (index: number) => index } = options;
  const root: TinyNode = { branch: "", turn: 0, observation: observe(0), reward: 0, repeats: 0 };
  const nodes: TinyNode[] = [root];
  const branches: BranchRecord<number, number>[] = [];
  const leaves: Leaf<number, number>[] = [];
  const grow = (segment: Segment, path: string, from: TinyNode): void => {
    branches.push({ path, from, seed: null });
    let at = from;
    for (const turn of segment.turns) {
      const [action, logprob] = typeof turn === "number" ? [turn, -1] : turn;
      at = {
        parent: at,
        branch: path,
        turn: at.turn + 1,
        observation: observe(nodes.length),
        choice: { action, logprob },
        reward: 0,
        repeats: 1,
      };
      nodes.push(at);
    }
    const { next = [], reward, end = "success" } = segment;
    next.forEach((child, index) => {
      grow(child, `${path}.${index}`, at);
    });
    if (next.length === 0) {
      leaves.push({ branch: path, node: at, end, ...(reward === undefined ? {} : { reward }) });
    }
  };
  segments.forEach((segment, index) => {
    grow(segment, String(index), root);
  });
  return {
    task: { id, data: null },
    seed: 1,
    policy: "tiny",
    strategy: { name: "by-hand", options: {} },
    nodes,
    branches,
    leaves,
    checkpoints: [],
    budget: emptyBudget(),
    problems: [],
  };
}

/** Any small tree: up to three levels of branching, segments of up to three turns, leaves without a reward too. */
export const tinyTrees: fc.Arbitrary<TinyTree> = fc
  .array(segmentArbitrary(2), { minLength: 1, maxLength: 4 })
  .map((segments) => tinyTree(segments));

function segmentArbitrary(depth: number): fc.Arbitrary<Segment> {
  const turns = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 2 }), fc.double({ min: -2, max: -0.1, noNaN: true })),
    {
      maxLength: 3,
    },
  );
  const leaf: fc.Arbitrary<Segment> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ turns, reward: fc.constantFrom(0, 1, 0.5) }) },
    { weight: 1, arbitrary: fc.record({ turns, end: fc.constant("error" as const) }) },
  );
  if (depth === 0) return leaf;
  const next = fc.array(segmentArbitrary(depth - 1), { minLength: 2, maxLength: 3 });
  return fc.oneof(leaf, fc.record({ turns, next }));
}
