import type { Snapshot } from "../../../core/env.ts";
import type { Sandbox } from "../../../core/sandbox/sandbox.ts";
import type { SweInstance } from "../instance.ts";

/** Where the repository lies in every sandbox. */
export const REPOSITORY = "/testbed";

/** For an agent, from whom the tests to come are hidden; or for grading. */
export type Purpose = "agent" | "grading";

/** Makes sandboxes with an instance's repository at {@link REPOSITORY}, checked out at its base commit. */
export interface Workspaces {
  /** Backend, for people and records. */
  readonly name: string;
  /**
   * A fresh sandbox, which nobody has used. The caller closes it.
   * @throws {InputError} if it cannot be made: no such folder, a package that is not installed; for an agent also: no
   * such image, Docker not there.
   * @throws {SandboxError} if it does not come up; for grading also: no such image, Docker not there.
   */
  open(instance: SweInstance, purpose: Purpose): Promise<Sandbox>;
  /** Forks a snapshot of one of these sandboxes, which may be closed. @throws {SnapshotError} @throws {SandboxError} */
  fork(snapshot: Snapshot): Promise<Sandbox>;
  release(snapshot: Snapshot): Promise<void>;
}

/** A repository that does not come in an image: as files, or as an archive, which keeps modes and links. */
export type Repository =
  | {
      /** Path below the repository to content. */
      readonly files: Readonly<Record<string, string | Uint8Array>>;
      /** Of the commit that is made of the files. @default one of ours */
      readonly commit?: CommitFacts;
    }
  | {
      /** A tar archive of it, with its `.git` or without. */
      archive(options: { readonly git: boolean }): Promise<Uint8Array>;
      /** Whether it has a `.git`, at the base commit; used where real git is. */
      readonly hasGit: boolean;
    };

export interface CommitFacts {
  readonly message: string;
  readonly name: string;
  readonly email: string;
  /** As git takes it, for example `2026-01-01T00:00:00Z`. */
  readonly date: string;
}

/** The repository of an instance; undefined where it is in the instance's image. */
export type RepositoryOf = (instance: SweInstance) => Promise<Repository | undefined>;
