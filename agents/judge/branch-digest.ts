import { canonicalJson, sha256 } from "../../core/json.ts";
import type { Node } from "../../core/rollout/tree.ts";
import type { Task } from "../../core/task.ts";

type AnyNode = Node<unknown, unknown>;

const known = new WeakMap<AnyNode, { readonly task: Task<unknown>; readonly digest: string }>();

/**
 * What a branch is, as 64 hexadecimal digits: a chain of SHA-256 over the canonical JSON of its task and of its
 * actions and observations, root first. Branches with equal tasks, actions and observations have equal digests,
 * whatever their paths, rewards and samples.
 */
export function branchDigest(task: Task<unknown>, node: AnyNode): string {
  const fresh: AnyNode[] = [];
  let at: AnyNode | undefined = node;
  while (at !== undefined && known.get(at)?.task !== task) {
    fresh.push(at);
    at = at.parent;
  }
  let digest = at === undefined ? sha256(canonicalJson([task.id, task.data])) : known.get(at)!.digest;
  for (const next of fresh.reverse()) {
    const { choice, observation } = next;
    digest = sha256(canonicalJson({ before: digest, action: choice?.action, observation }));
    known.set(next, { task, digest });
  }
  return digest;
}
