import type { BranchRecord, Leaf, Node, Routing, Tree } from "../rollout/tree.ts";

/** The turns of one branch between two checkpoints, as a person wants to see a tree. */
export interface Segment {
  readonly branch: string;
  readonly nodes: readonly Node<unknown, unknown>[];
  /** What the checkpoint at its end said. */
  readonly routing?: Routing;
  readonly leaf?: Leaf<unknown, unknown>;
  readonly children: readonly Segment[];
}

/** The initial branches of a tree, cut where a checkpoint looked at them or a child starts. */
export function segmentsOf(tree: Tree<unknown, unknown, unknown>): Segment[] {
  const routings = new Map<string, Routing>();
  for (const { turn, routings: all } of tree.checkpoints) {
    for (const routing of all) routings.set(`${routing.branch}@${turn}`, routing);
  }
  const nodes = groupBy(tree.nodes.slice(1), ({ branch }) => branch);
  const leaves = new Map(tree.leaves.map((leaf) => [leaf.branch, leaf]));
  const starts = groupBy(tree.branches, ({ from }) => from);

  function segment(branch: string, own: readonly Node<unknown, unknown>[]): Segment {
    const cut = own.findIndex((node) => routings.has(`${branch}@${node.turn}`)) + 1;
    const mine = cut === 0 ? own : own.slice(0, cut);
    const rest = cut === 0 ? [] : own.slice(cut);
    const last = mine.at(-1);
    const routing = last && routings.get(`${branch}@${last.turn}`);
    const children = (last === undefined ? [] : (starts.get(last) ?? [])).map(begin);
    if (rest.length > 0) children.unshift(segment(branch, rest));
    const leaf = rest.length === 0 ? leaves.get(branch) : undefined;
    return { branch, nodes: mine, children, ...(routing && { routing }), ...(leaf && { leaf }) };
  }
  const begin = ({ path }: BranchRecord<unknown, unknown>): Segment => segment(path, nodes.get(path) ?? []);
  return tree.branches.filter(({ from }) => from.parent === undefined).map(begin);
}

/** The actions of a segment in few words. */
export function actionsOf({ nodes }: Segment): string {
  return nodes.map(({ choice }) => actionText(choice!.action)).join(" ");
}

/** An action on one line. */
export function actionText(action: unknown): string {
  return typeof action === "string" && !/\p{Cc}/u.test(action) ? action : JSON.stringify(action);
}

/** How a segment ended: the checkpoint's score and route, or the leaf's end and reward. */
export function endingOf({ routing, leaf }: Segment): string {
  const parts: string[] = [];
  if (routing?.score !== undefined) parts.push(`score ${routing.score.toFixed(2)}`);
  if (routing !== undefined) parts.push(routing.route);
  if (leaf !== undefined)
    parts.push(leaf.reward === undefined ? leaf.end : `${leaf.end}, reward ${round(leaf.reward)}`);
  if (leaf?.error !== undefined) parts.push(leaf.error);
  return parts.join(", ");
}

function round(value: number): number {
  return Number(value.toFixed(3));
}

function groupBy<T, Key>(items: readonly T[], keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
