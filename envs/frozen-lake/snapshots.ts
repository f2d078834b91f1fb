import type { EndReason, Snapshot } from "../../core/env.ts";
import { messageOf, SnapshotError } from "../../core/errors.ts";
import { isPcg64State, type Pcg64State } from "./numpy/pcg64.ts";

// A lake's snapshot is the state itself, so that there is nothing behind it to free: releasing only marks it.
const released = new WeakSet<Snapshot>();

/** Marks this snapshot object; {@link openSnapshot} then refuses it. A copy of it is another snapshot. */
export function markReleased(snapshot: Snapshot): void {
  released.add(snapshot);
}

/** Refuses what is released or was made by another kind of Env. @throws {SnapshotError} */
export function openSnapshot(snapshot: Snapshot, kind: string): void {
  if (typeof snapshot !== "object" || snapshot === null)
    throw malformed(kind, "snapshot", snapshot, "an object");
  if (snapshot.kind !== kind) throw malformed(kind, "kind", snapshot.kind, JSON.stringify(kind));
  if (released.has(snapshot)) {
    throw new SnapshotError(`${kind}: this snapshot was released; take another before forking`);
  }
}

/** A field that must be a whole number from 0 to `most`. @throws {SnapshotError} */
export function wholeField(snapshot: Snapshot, kind: string, name: string, most: number): number {
  const value = snapshot[name];
  if (typeof value === "number" && value === value >>> 0 && value <= most) return value;
  throw malformed(kind, name, value, `a whole number from 0 to ${most}`);
}

/** How the episode stood: null in the snapshot while it ran. @throws {SnapshotError} */
export function endField(snapshot: Snapshot, kind: string): EndReason | undefined {
  const { end } = snapshot;
  if (end === null) return undefined;
  if (end === "success" || end === "failure" || end === "turn-limit") return end;
  throw malformed(kind, "end", end, "null, success, failure or turn-limit");
}

/** The saved generator. @throws {SnapshotError} */
export function rngField(snapshot: Snapshot, kind: string): Pcg64State {
  const { rng } = snapshot;
  if (isPcg64State(rng)) return rng;
  throw malformed(kind, "rng", rng, "a saved PCG64 generator of ten whole numbers");
}

/** What `read` makes of the task's data in a snapshot, its complaint turned into ours. @throws {SnapshotError} */
export function dataField<T>(snapshot: Snapshot, kind: string, read: (data: never) => T): T {
  const { data } = snapshot;
  if (typeof data !== "object" || data === null) throw malformed(kind, "data", data, "an object");
  try {
    return read(data as never);
  } catch (error) {
    throw new SnapshotError(`${kind}: snapshot field \`data\` is malformed: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function malformed(kind: string, name: string, got: unknown, expected: string): SnapshotError {
  return new SnapshotError(
    `${kind}: expected snapshot field \`${name}\` to be ${expected}, got ${JSON.stringify(got)}`,
  );
}
