import type { Snapshot } from "../../env.ts";
import type { Sandbox } from "../sandbox.ts";
import { commitSnapshots } from "./commit.ts";
import { overlaySnapshots } from "./overlay.ts";

/** Forks and frees this process's Docker snapshots without a sandbox at hand: the one that took it may be closed. */
export const dockerSnapshots = {
  /** @throws {SnapshotError} @throws {SandboxError} */
  fork(snapshot: Snapshot): Promise<Sandbox> {
    return of(snapshot).fork(snapshot);
  },
  release(snapshot: Snapshot): Promise<void> {
    return of(snapshot).release(snapshot);
  },
};

function of(snapshot: Snapshot): typeof dockerSnapshots {
  return snapshot.kind === "docker/commit" ? commitSnapshots : overlaySnapshots;
}
