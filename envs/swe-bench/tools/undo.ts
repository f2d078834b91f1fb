import { type JsonObject, sha256 } from "../../../core/json.ts";
import type { ToolMemory } from "../types.ts";
import { applied, type Edit } from "./edit.ts";
import { AgentMistake } from "./tool.ts";

/** Edits of one file that can be undone, and UTF-16 units of removed text kept for all files; the oldest go first. */
export const UNDO_LIMITS = { editsPerFile: 10, characters: 262_144 } as const;

/** An edit, so that it can be taken back: plain JSON, small whatever the file's size. */
type Undo = JsonObject & {
  readonly path: string;
  readonly at: number;
  readonly removed: string;
  readonly added: number;
  /** Of the text after the edit: a file that changed since is not touched. */
  readonly sha256: string;
  /** Whether the edit made the file. */
  readonly created: boolean;
};

/** The memory after an edit of a file, which is now `text`. */
export function remember(
  memory: ToolMemory,
  path: string,
  edit: Pick<Edit, "at" | "removed" | "added">,
  text: string,
  created = false,
): ToolMemory {
  const { at, removed } = edit;
  const entry: Undo = { path, at, removed, added: edit.added.length, sha256: sha256(text), created };
  const all = [...undosOf(memory), entry];
  const ofFile = all.filter((each) => each.path === path);
  const tooMany = new Set(ofFile.slice(0, Math.max(0, ofFile.length - UNDO_LIMITS.editsPerFile)));
  const kept: Undo[] = [];
  let room: number = UNDO_LIMITS.characters;
  for (const each of all.filter((undo) => !tooMany.has(undo)).reverse()) {
    room -= each.removed.length + each.path.length + each.sha256.length;
    if (room < 0) break;
    kept.unshift(each);
  }
  return { ...memory, undo: kept };
}

/**
 * The file before its last edit, and the memory without that edit. `text` is undefined if the edit made the file.
 * @throws {AgentMistake} if no edit is kept, or something else changed the file since.
 */
export function takeBack(
  memory: ToolMemory,
  path: string,
  current: string,
): { readonly text: string | undefined; readonly at: number; readonly memory: ToolMemory } {
  const all = undosOf(memory);
  const last = all.findLast((each) => each.path === path);
  if (!last)
    throw new AgentMistake(
      `There is no edit of ${path} to undo; the last ${UNDO_LIMITS.editsPerFile} of a file are kept.`,
    );
  if (sha256(current) !== last.sha256)
    throw new AgentMistake(
      `${path} was changed by something else since its last edit here; undoing would lose that, so nothing was changed.`,
    );
  const back = {
    at: last.at,
    removed: current.slice(last.at, last.at + last.added),
    added: last.removed,
    line: 0,
  };
  return {
    text: last.created ? undefined : applied(current, back),
    at: last.at,
    memory: { ...memory, undo: all.filter((each) => each !== last) },
  };
}

function undosOf(memory: ToolMemory): readonly Undo[] {
  return (memory.undo ?? []) as unknown as readonly Undo[];
}
