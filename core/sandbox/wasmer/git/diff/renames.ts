import { blobId, byBytes } from "../objects.ts";
import type { Change } from "../worktree.ts";

/** A change as it is shown: with the path that a file had before if it was renamed. */
export interface ShownChange extends Change {
  readonly from?: string;
  /** Whether the two are just two files that are compared, none renamed. */
  readonly isOther?: boolean;
}

/**
 * Takes a file that went and one that came with the same content for one that was renamed; git also finds those that
 * were changed a little. In order of their paths.
 */
export function withRenames(changes: readonly Change[], detect: boolean): ShownChange[] {
  const ordered = [...changes].sort((one, other) => byBytes(one.path, other.path));
  if (!detect) return ordered;
  const gone = new Map<string, Change[]>();
  for (const change of ordered) {
    if (change.now || !change.old) continue;
    const id = keyOf(change.old);
    gone.set(id, [...(gone.get(id) ?? []), change]);
  }
  if (gone.size === 0) return ordered;
  const renamed = new Set<Change>();
  const result: ShownChange[] = ordered.map((change) => {
    if (change.old || !change.now) return change;
    const sources = (gone.get(keyOf(change.now)) ?? []).filter((source) => !renamed.has(source));
    const baseName = change.path.replace(/^.*\//, "");
    const source = sources.find(({ path }) => path.replace(/^.*\//, "") === baseName) ?? sources[0];
    if (!source) return change;
    renamed.add(source);
    return { path: change.path, from: source.path, old: source.old, now: change.now };
  });
  return result.filter((change) => !renamed.has(change));
}

function keyOf({ content, mode }: NonNullable<Change["old"]>): string {
  return `${blobId(content)} ${mode === "120000"}`;
}
