import { InputError } from "../errors.ts";
import { canonicalJson, type Json, type JsonObject, sha256 } from "../json.ts";
import type { Decision } from "../policy.ts";
import { type Budget, emptyBudget } from "../rollout/budget.ts";
import type { Checkpoint, LeafEnd, Node, Tree } from "../rollout/tree.ts";
import type { Task } from "../task.ts";

/** A tree as one line of `trees.jsonl`: nodes point at each other by index instead of by reference. */
export interface TreeRecord {
  readonly v: 1;
  readonly task: Task<Json>;
  readonly seed: number;
  readonly policy: string;
  readonly scorer?: string;
  readonly strategy: { readonly name: string; readonly options: Json };
  readonly nodes: readonly NodeRecord[];
  readonly branches: readonly {
    readonly path: string;
    readonly from: number;
    readonly seed: number | null;
  }[];
  readonly leaves: readonly {
    readonly branch: string;
    readonly node: number;
    readonly end: LeafEnd;
    readonly reward?: number;
    readonly info?: JsonObject;
    readonly error?: string;
  }[];
  readonly checkpoints: readonly Checkpoint[];
  readonly budget: Budget;
  readonly problems: readonly string[];
  /** SHA-256 of all the other fields as canonical JSON, without `budget.seconds`: equal trees, equal digests. */
  readonly digest: string;
}

export interface NodeRecord {
  /** Index of the parent; null on the root. */
  readonly parent: number | null;
  readonly branch: string;
  readonly choice?: Decision<Json>;
  readonly observation: Json;
  readonly reward: number;
  readonly end?: Tree<unknown, unknown, unknown>["nodes"][number]["end"];
  readonly info?: JsonObject;
}

/** The record of a tree. Its observations, actions and task data must be JSON, as the Env contract says. */
export function toRecord(tree: Tree<unknown, unknown, unknown>): TreeRecord {
  const index = new Map<Node<unknown, unknown>, number>(tree.nodes.map((node, at) => [node, at]));
  const { nodes, branches, leaves, problems, ...same } = tree;
  const record = {
    v: 1 as const,
    ...same,
    nodes: nodes.map(({ parent, turn, repeats, ...node }) => ({
      parent: parent === undefined ? null : index.get(parent)!,
      ...node,
    })),
    branches: branches.map(({ path, from, seed }) => ({ path, from: index.get(from)!, seed })),
    leaves: leaves.map(({ node, ...leaf }) => ({ ...leaf, node: index.get(node)! })),
    problems,
  } as unknown as Omit<TreeRecord, "digest">;
  return { ...record, digest: digestOf(record) };
}

/** What `digest` must be. */
export function digestOf(record: Omit<TreeRecord, "digest"> & { readonly digest?: string }): string {
  const { digest: _, budget, ...rest } = record;
  const { seconds: __, ...counts } = budget;
  return sha256(canonicalJson({ ...rest, budget: counts }));
}

/**
 * Checks that a value read from a file is a record that holds together; `where` names it in messages.
 * Does not compare the digest: `replay` does, after it has looked for the change itself.
 * @throws {InputError} naming the field.
 */
export function checkRecord(value: unknown, where: string): TreeRecord {
  const record = value as TreeRecord;
  const fail = (field: string, expected: string, got: unknown): never => {
    throw new InputError(`${where}: expected \`${field}\` to be ${expected}, got ${JSON.stringify(got)}`);
  };
  if (record?.v !== 1) fail("v", "1", record?.v);
  if (typeof record.task?.id !== "string") fail("task.id", "a text", record.task?.id);
  if (typeof record.strategy?.name !== "string") fail("strategy.name", "a text", record.strategy?.name);
  for (const field of Object.keys(emptyBudget()) as (keyof Budget)[]) {
    const count = record.budget?.[field];
    if (typeof count !== "number") fail(`budget.${field}`, "a number", count);
  }
  for (const [field, count] of Object.entries(record.budget)) {
    if (typeof count !== "number") fail(`budget.${field}`, "a number", count);
  }
  if (!Array.isArray(record.problems)) fail("problems", "a list", record.problems);
  for (const field of ["nodes", "branches", "leaves", "checkpoints"] as const) {
    if (!Array.isArray(record[field])) fail(field, "a list", record[field]);
    for (const [at, entry] of record[field].entries()) {
      if (typeof entry !== "object" || entry === null) fail(`${field}[${at}]`, "an object", entry);
    }
  }
  record.nodes.forEach(({ parent, branch, reward }, at) => {
    const parentIs = at === 0 ? parent === null : Number.isInteger(parent) && parent! >= 0 && parent! < at;
    if (!parentIs) fail(`nodes[${at}].parent`, at === 0 ? "null" : `an index from 0 to ${at - 1}`, parent);
    if (typeof branch !== "string") fail(`nodes[${at}].branch`, "a path", branch);
    if (typeof reward !== "number") fail(`nodes[${at}].reward`, "a number", reward);
    if (at > 0 && record.nodes[at]!.choice?.action === undefined)
      fail(`nodes[${at}].choice`, "a choice", undefined);
  });
  const known = (at: unknown) => Number.isInteger(at) && record.nodes[at as number] !== undefined;
  record.branches.forEach(({ path, from }, at) => {
    if (typeof path !== "string") fail(`branches[${at}].path`, "a path", path);
    if (!known(from)) fail(`branches[${at}].from`, "the index of a node", from);
  });
  record.leaves.forEach(({ branch, node, end, reward }, at) => {
    if (typeof branch !== "string") fail(`leaves[${at}].branch`, "a path", branch);
    if (typeof end !== "string") fail(`leaves[${at}].end`, "a text", end);
    if (reward !== undefined && typeof reward !== "number") fail(`leaves[${at}].reward`, "a number", reward);
    if (!known(node)) fail(`leaves[${at}].node`, "the index of a node", node);
  });
  record.checkpoints.forEach(({ routings }, at) => {
    if (!Array.isArray(routings)) fail(`checkpoints[${at}].routings`, "a list", routings);
    for (const routing of routings) {
      const { route, score = 0 } = routing ?? {};
      const holds = typeof route === "string" && typeof score === "number";
      if (!holds) fail(`checkpoints[${at}].routings`, "routes with scores", routing);
    }
  });
  return record;
}

/** The tree of a record, as the engine gave it. */
export function toTree<Data = Json, Obs = Json, Act = Json>(record: TreeRecord): Tree<Data, Obs, Act> {
  const nodes: Node<Json, Json>[] = [];
  for (const { parent: at, choice, ...fields } of record.nodes) {
    const parent = at === null ? undefined : nodes[at]!;
    const again =
      choice !== undefined && canonicalJson(parent?.choice?.action) === canonicalJson(choice.action);
    nodes.push({
      ...(parent !== undefined && { parent }),
      ...fields,
      ...(choice !== undefined && { choice }),
      turn: parent === undefined ? 0 : parent.turn + 1,
      repeats: choice === undefined ? 0 : again ? parent!.repeats + 1 : 1,
    } as Node<Json, Json>);
  }
  const { v, digest, ...same } = record;
  return {
    ...same,
    nodes,
    branches: record.branches.map(({ from, ...branch }) => ({ ...branch, from: nodes[from]! })),
    leaves: record.leaves.map(({ node, ...leaf }) => ({ ...leaf, node: nodes[node]! })),
  } as unknown as Tree<Data, Obs, Act>;
}
