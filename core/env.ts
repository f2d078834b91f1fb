import type { JsonObject } from "./json.ts";
import type { Task } from "./task.ts";

/**
 * Why an episode ended. `success` and `failure` are the environment's own verdict (Gymnasium: terminated);
 * the limits cut it short (Gymnasium: truncated).
 */
export type EndReason = "success" | "failure" | "turn-limit" | "time-limit";

/** What an action brought. */
export interface Step<Obs> {
  /** JSON; never changed after it was returned. */
  readonly observation: Obs;
  /** Finite. An episode's outcome is the sum of its rewards. */
  readonly reward: number;
  /** Set on the last step only. */
  readonly end?: EndReason;
  /** Facts for people and logs. A policy must not need them. */
  readonly info?: JsonObject;
}

/** What an episode that was stopped from outside is worth. */
export interface Settlement {
  /** Finite; added to the rewards already given. */
  readonly reward: number;
  /** Facts for people and logs. */
  readonly info?: JsonObject;
}

/**
 * A saved state as plain JSON: the state itself, or the name of what holds it. Opaque to callers. Two snapshots of
 * one state need not be equal: what they lead to is.
 */
export type Snapshot = JsonObject;

/**
 * An environment that can be forked in mid-episode.
 *
 * `reset`, `step`, `snapshot`, `settle` and `close` belong to one caller at a time. `fork` and `release`
 * touch a snapshot, never this handle's own episode: they work on any open handle of the same kind, before
 * `reset` too, and may run while `step` does. The laws are in `forkgym/testing`.
 */
export interface Env<Data, Obs, Act> {
  /**
   * Starts an episode; allowed at any time. The same task and seed give the same episode for the same actions.
   * @param options.seed a whole number from 0 to 2^53 - 1.
   */
  reset(options: { readonly task: Task<Data>; readonly seed: number }): Promise<Obs>;

  /**
   * Takes one action. An invalid action is not an error: the Env says what it costs.
   * @throws {EpisodeError} before `reset`, after the end, after `close`.
   */
  step(action: Act): Promise<Step<Obs>>;

  /**
   * Saves the state, random stream included, and changes nothing. Also allowed after the end.
   * @throws {EpisodeError} before `reset`, after `close`.
   */
  snapshot(): Promise<Snapshot>;

  /**
   * A new Env that goes on from the snapshot exactly as the original would have. With `seed` the state is the
   * same and the noise is fresh: what the random stream decides from here on depends on the seed alone.
   * The caller closes it.
   * @throws {SnapshotError} if the snapshot was released, is malformed, or is another kind's.
   */
  fork(snapshot: Snapshot, options?: { readonly seed?: number }): Promise<Env<Data, Obs, Act>>;

  /**
   * Frees what is behind a snapshot. Forks made of it live on. Releasing twice is fine. It can be named by a JSON copy,
   * which is then what cannot be forked. Another copy cannot either where the snapshot is a name; a copy of the state
   * itself still can, and lives as long as its holder keeps it. What another `snapshot()` returned is not released.
   */
  release(snapshot: Snapshot): Promise<void>;

  /**
   * What an episode that is stopped from outside is worth beyond the rewards already given (SWE-bench runs
   * the tests here). Absent: nothing.
   */
  settle?(): Promise<Settlement>;

  /** Ends this handle; its forks and snapshots live on. Closing twice is fine. */
  close(): Promise<void>;
}

/** Makes a fresh Env that has not been reset. */
export type MakeEnv<Data, Obs, Act> = () => Env<Data, Obs, Act> | Promise<Env<Data, Obs, Act>>;
