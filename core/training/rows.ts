import { oneOf, onlyKnown } from "../check.ts";
import { InputError } from "../errors.ts";
import { type Node, pathTo } from "../rollout/tree.ts";
import type { Group, RewardedLeaf } from "./group.ts";

/** One training sequence: the turns from the start of an episode, and how much each one counts. */
export interface Row<Obs, Act> {
  /** The group that it is a row of; a `Sequence` of it may name it. */
  readonly group: Group<unknown, Obs, Act>;
  /** The leaf that the row ends in, or leads to first if it is an edge. */
  readonly leaf: RewardedLeaf<Obs, Act>;
  /** The turns in order, root excluded. Never empty. */
  readonly nodes: readonly Node<Obs, Act>[];
  readonly advantage: number;
  /** One per node, from 0 (context only, masked) to 1. */
  readonly weights: readonly number[];
}

/**
 * How much a turn counts that several leaves share.
 * - `every-leaf`: 1 in each row, so once per leaf below it (PATR arXiv 2607.15610, Tree-GRPO, ARPO);
 * - `1/leaves`: 1 / number of the group's leaves below it, so the weights of a turn sum to 1;
 * - `once`: 1 in the row of the first of these leaves and 0 in the others (prime-rl).
 */
export type PrefixWeight = "every-leaf" | "1/leaves" | "once";

export interface RowsByLeafOptions {
  /** @default "every-leaf" */
  readonly prefix?: PrefixWeight;
}

/**
 * One row per leaf of the group, in the tree's order. A leaf at the root took no turn and has no row. Turns
 * that lead to no leaf of the group are in no row.
 * @param advantages one per leaf of the group.
 * @throws {InputError} if their number differs or one is not finite.
 */
export function rowsByLeaf<Obs, Act>(
  group: Group<unknown, Obs, Act>,
  advantages: readonly number[],
  options: RowsByLeafOptions = {},
): Row<Obs, Act>[] {
  const { prefix = "every-leaf" } = options;
  onlyKnown("rowsByLeaf", options, { prefix });
  oneOf(["every-leaf", "1/leaves", "once"], "rowsByLeaf", "prefix", prefix);
  checkAdvantages("rowsByLeaf", group, advantages);
  const paths = turnsOf(group);
  const below = prefix === "1/leaves" ? sumBelow(paths, () => 1) : undefined;
  const seen = new Set<Node<Obs, Act>>();
  const weightOf = (node: Node<Obs, Act>): number => {
    if (below !== undefined) return 1 / below.get(node)!;
    if (prefix === "every-leaf") return 1;
    if (seen.has(node)) return 0;
    seen.add(node);
    return 1;
  };
  return group.leaves.flatMap((leaf, index) => {
    const nodes = paths[index]!;
    if (nodes.length === 0) return [];
    return [{ group, leaf, nodes, advantage: advantages[index]!, weights: nodes.map(weightOf) }];
  });
}

/**
 * One row per unbranched segment of the tree, parents before children. The turns before the segment come along
 * as context with weight 0; the advantage is the mean over the group's leaves below the segment. So every turn
 * is trained in exactly one row.
 *
 * For a loss that sums over tokens and divides by a constant or by the weight of all tokens
 * (`seq-mean-token-sum-norm` with a given scale, `token-mean`), loss and gradient are those of {@link rowsByLeaf}
 * with `1/leaves`, as long as no ratio is clipped: there the loss is linear in the advantage, and n leaves at
 * 1/n each are their mean. Under clipping, or with a mean per sequence, the two differ.
 * @param advantages one per leaf of the group.
 * @throws {InputError} if their number differs or one is not finite.
 */
export function rowsByEdge<Obs, Act>(
  group: Group<unknown, Obs, Act>,
  advantages: readonly number[],
): Row<Obs, Act>[] {
  checkAdvantages("rowsByEdge", group, advantages);
  const paths = turnsOf(group);
  const leaves = sumBelow(paths, () => 1);
  const sums = sumBelow(paths, (index) => advantages[index]!);
  const rows: Row<Obs, Act>[] = [];
  const done = new Set<Node<Obs, Act>>();
  paths.forEach((path, index) => {
    let start = 0;
    path.forEach((node, turn) => {
      const next = path[turn + 1];
      // As many leaves below the child as below the parent: the same leaves, so nothing branches here.
      if (next !== undefined && leaves.get(next) === leaves.get(node)) return;
      const from = start;
      start = turn + 1;
      if (done.has(node)) return;
      done.add(node);
      rows.push({
        group,
        leaf: group.leaves[index]!,
        nodes: path.slice(0, turn + 1),
        advantage: sums.get(node)! / leaves.get(node)!,
        weights: Array.from({ length: turn + 1 }, (_, at) => (at < from ? 0 : 1)),
      });
    });
  });
  return rows;
}

function turnsOf<Obs, Act>(group: Group<unknown, Obs, Act>): Node<Obs, Act>[][] {
  return group.leaves.map((leaf) => pathTo(leaf.node).slice(1));
}

/** For every turn, the sum of a value over the group's leaves below it. */
function sumBelow<N>(paths: readonly (readonly N[])[], value: (leaf: number) => number): Map<N, number> {
  const sums = new Map<N, number>();
  paths.forEach((path, index) => {
    for (const node of path) sums.set(node, (sums.get(node) ?? 0) + value(index));
  });
  return sums;
}

function checkAdvantages(
  part: string,
  group: Group<unknown, unknown, unknown>,
  advantages: readonly number[],
): void {
  if (advantages.length !== group.leaves.length) {
    throw new InputError(
      `${part}: expected one advantage for each of the ${group.leaves.length} leaves of task ${group.task.id}, got ${advantages.length}`,
    );
  }
  const bad = advantages.findIndex((advantage) => !Number.isFinite(advantage));
  if (bad >= 0) {
    throw new InputError(`${part}: expected finite advantages, got ${advantages[bad]} at index ${bad}`);
  }
}
