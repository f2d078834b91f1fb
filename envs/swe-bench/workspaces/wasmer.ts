import type { Snapshot } from "../../../core/env.ts";
import { InputError, SnapshotError } from "../../../core/errors.ts";
import type { Sandbox } from "../../../core/sandbox/sandbox.ts";
import type { SweInstance } from "../instance.ts";
import { commitBase, putRepository, settleIn } from "./baseline.ts";
import { type Purpose, REPOSITORY, type RepositoryOf, type Workspaces } from "./workspaces.ts";

export interface WasmerWorkspacesOptions {
  /** Where an instance's repository comes from; there are no images here. */
  readonly repository: RepositoryOf;
  /** On top of HOME, PATH and LANG. */
  readonly env?: Readonly<Record<string, string>>;
  /** Repositories kept ready in memory, those used last; the next sandbox of one is a fork. @default 8 */
  readonly kept?: number;
}

/** What a row's script calls before its tests and finds in SWE-bench's images. */
const CONDA = "/opt/miniconda3/bin/activate";

/** Sandboxes in this process, without Docker: for Python repositories whose tests need no subprocess. */
export function wasmerWorkspaces(options: WasmerWorkspacesOptions): Workspaces {
  const { repository, env = {}, kept = 8 } = options;
  const ready = new Map<string, Promise<Snapshot>>();

  /** A sandbox with nothing in it, good for forking. Its shell and git are loaded with the first. */
  async function blank(): Promise<Sandbox> {
    const { createWasmerSandbox } = await import("../../../core/sandbox/wasmer/index.ts");
    return createWasmerSandbox({ cwd: REPOSITORY, env: { PAGER: "cat", ...env } });
  }

  async function make(instance: SweInstance, purpose: Purpose): Promise<Snapshot> {
    const found = await repository(instance);
    if (found === undefined) {
      throw new InputError(
        `swe-bench: the wasmer backend has no files of ${instance.id}; name a folder of prepared workspaces, or use docker`,
      );
    }
    const sandbox = await blank();
    try {
      await sandbox.writeFile(CONDA, "conda() { :; }\n");
      await putRepository(sandbox, found, { git: false });
      await commitBase(sandbox, instance, found);
      await settleIn(sandbox, instance, purpose);
      return await sandbox.snapshot();
    } finally {
      await sandbox.close();
    }
  }

  async function fork(snapshot: Snapshot): Promise<Sandbox> {
    const sandbox = await blank();
    try {
      return await sandbox.fork(snapshot);
    } finally {
      await sandbox.close();
    }
  }

  async function release(snapshot: Snapshot): Promise<void> {
    const sandbox = await blank();
    await sandbox.release(snapshot);
    await sandbox.close();
  }

  return {
    name: "wasmer",
    async open(instance, purpose) {
      const key = `${purpose} ${instance.id}`;
      const snapshot = ready.get(key) ?? make(instance, purpose);
      ready.delete(key);
      ready.set(key, snapshot);
      try {
        return await fork(await snapshot);
      } catch (error) {
        if (ready.get(key) === snapshot) ready.delete(key);
        // Meanwhile so many others were opened that it had to make room.
        if (error instanceof SnapshotError) return this.open(instance, purpose);
        throw error;
      } finally {
        for (const [oldest, old] of ready) {
          if (ready.size <= kept) break;
          ready.delete(oldest);
          old.then(release, () => {});
        }
      }
    },
    fork,
    release,
  };
}
