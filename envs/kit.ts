import type { Dialogue } from "../core/dialogue.ts";
import type { Env } from "../core/env.ts";
import type { Features } from "../core/features.ts";
import type { Rng } from "../core/rng.ts";
import type { NormalRule } from "../core/run/replay.ts";
import type { Scorer } from "../core/scorer.ts";
import type { TaskSet } from "../core/task.ts";

/** An environment with all that a run of it needs: how to make it, its task sets, its words and its score. */
export interface EnvKit<Data, Obs, Act> {
  /** For example `frozen-lake`. */
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  readonly sets: readonly NamedTaskSet<Data>[];
  /**
   * A task set from a file of the user's.
   * @param options as `NamedTaskSet.make` takes them. @param onNote told of what was left out.
   * @throws {InputError} if the file cannot be read or has no task.
   */
  load?(
    file: string,
    options: Readonly<Record<string, string>>,
    onNote: (line: string) => void,
  ): Promise<TaskSet<Data>>;
  /** A fresh Env that has not been reset; the caller closes it. */
  make(): Env<Data, Obs, Act>;
  /** Options of `configure`: name to one line of help. */
  readonly options?: Readonly<Record<string, string>>;
  /** The kit with other options than its defaults. @throws {InputError} on an unknown option or a bad value. */
  configure?(options: Readonly<Record<string, string>>): EnvKit<Data, Obs, Act>;
  /** A task in one line for people, with nothing that an agent may not see. @default its data as JSON */
  line?(data: Data): string;
  readonly progress?: Scorer<Data, Obs, Act>;
  readonly dialogue?: Dialogue<Data, Obs, Act>;
  /** A uniformly random action, for the random policy. */
  randomAction(rng: Rng): Act;
  /** What the in-process learner needs: what it sees, and the actions it chooses from. */
  readonly learning?: { readonly features: Features<Obs, Act>; readonly actions: readonly Act[] };
  /** What `replay` takes as the same though it differs: times and addresses in what commands print. @default nothing */
  readonly normal?: readonly NormalRule[];
  /** PATR's K for a task set of this kit: turns from one checkpoint to the next, from 1. */
  checkpointEvery(set: TaskSet<Data>): number;
}

/** A task set that can be made by its name. */
export interface NamedTaskSet<Data> {
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  /** Option name to one line of help. */
  readonly options?: Readonly<Record<string, string>>;
  /** @throws {InputError} on an unknown option or a bad value. */
  make(options?: Readonly<Record<string, string>>): TaskSet<Data>;
}

/** A kit whose types are forgotten, for lists of kits: its parts fit each other and nothing else. */
export type AnyEnvKit = EnvKit<unknown, unknown, unknown>;
