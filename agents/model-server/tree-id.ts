import type { Node } from "../../core/rollout/tree.ts";
import type { Task } from "../../core/task.ts";

const ids = new WeakMap<object, string>();
let count = 0;

/** A name for the tree that a node is in: of all its nodes, and of no other tree in this process, whatever its task. */
export function treeIdOf(task: Task<unknown>, node: Node<unknown, unknown>): string {
  let root = node;
  while (root.parent !== undefined) root = root.parent;
  let id = ids.get(root);
  if (id === undefined) {
    id = `${task.id}#${++count}`;
    ids.set(root, id);
  }
  return id;
}
