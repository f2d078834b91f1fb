import { randomUUID } from "node:crypto";
import type { Snapshot } from "../../env.ts";
import { SnapshotError } from "../../errors.ts";
import type { ShellState } from "../sandbox.ts";
import type { TreeState } from "./tree/file-tree.ts";

export interface Saved {
  readonly files: TreeState;
  readonly shell: ShellState;
}

/** What the process holds behind its snapshots, which are only names: in another process there is nothing behind them. */
const table = new Map<string, { readonly saved: Saved; numTaken: number }>();

export function save(saved: Saved): Snapshot {
  const id = randomUUID();
  table.set(id, { saved, numTaken: 1 });
  return { kind: "wasmer", id };
}

/** @throws {SnapshotError} if it was released, is another kind's, or was made in another process. */
export function load(snapshot: Snapshot): Saved {
  const entry = entryOf(snapshot);
  if (entry) return entry.saved;
  throw new SnapshotError(
    "wasmer: the snapshot was released, is no snapshot of this backend, or was made in another process",
  );
}

/** Takes a snapshot once more. @returns whether it was still there. */
export function again(snapshot: Snapshot): boolean {
  const entry = entryOf(snapshot);
  if (entry) entry.numTaken++;
  return entry !== undefined;
}

/** A snapshot is freed when it was given back as many times as it was taken. */
export function giveBack(snapshot: Snapshot): void {
  const entry = entryOf(snapshot);
  if (entry && --entry.numTaken === 0) table.delete(String(snapshot.id));
}

function entryOf({ kind, id }: Snapshot): { readonly saved: Saved; numTaken: number } | undefined {
  return kind === "wasmer" ? table.get(String(id)) : undefined;
}
