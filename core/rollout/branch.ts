import type { Env, Snapshot } from "../env.ts";
import { ForkGymError } from "../errors.ts";
import type { Rng } from "../rng.ts";
import type { Budget } from "./budget.ts";
import type { Node } from "./tree.ts";

/**
 * An Env handle that may pass from a parent to one of its children. Forks are begun at once and awaited by
 * whoever needs them, so the handle is closed only when all of them have settled.
 */
export class Handle<Data, Obs, Act> {
  /** Rejects if the fork that was to bring the Env failed. */
  readonly env: Promise<Env<Data, Obs, Act>>;
  /** What must settle before the next step or the closing. */
  #pending: Promise<unknown> = Promise.resolve();
  #stepAfter: Promise<unknown> | undefined;
  #kept: Promise<Snapshot> | undefined;
  #closed: Promise<void> | undefined;
  #ending = false;

  constructor(env: Promise<Env<Data, Obs, Act>>) {
    this.env = env;
    env.catch(() => {});
  }

  /** The Env, once a snapshot that is being taken of it is done. */
  async ready(): Promise<Env<Data, Obs, Act>> {
    if (this.#stepAfter !== undefined) {
      await this.#stepAfter;
      this.#stepAfter = undefined;
    }
    return this.env;
  }

  /** Takes the snapshot that every later `fork` uses; it is released when the handle is closed. */
  keepSnapshot(budget: Budget): void {
    this.#kept = this.#snapshot(budget);
  }

  /**
   * Begins one fork per seed, all of one snapshot, which is released when the last of them has settled.
   * @param around runs the fork of the seed at this place.
   */
  fork(
    seeds: readonly number[],
    budget: Budget,
    onProblem: (error: unknown) => void,
    around: <T>(place: number, work: () => Promise<T>) => Promise<T> = (_, work) => work(),
  ): Handle<Data, Obs, Act>[] {
    const snapshot = this.#kept ?? this.#snapshot(budget);
    budget.forks += seeds.length;
    const forks = seeds.map((seed, place) => {
      const fork: Handle<Data, Obs, Act> = new Handle(
        around(place, async () => {
          const [env, state] = [await this.env, await snapshot];
          // The branch was given up while the snapshot was being taken: nobody wants the fork any more.
          if (fork.#closed !== undefined) throw new ForkGymError("rollout: a fork came too late");
          return env.fork(state, { seed });
        }),
      );
      return fork;
    });
    const settled = Promise.allSettled(forks.map(({ env }) => env));
    this.#hold(
      this.#kept === undefined ? settled.then(() => this.#release(snapshot).catch(onProblem)) : settled,
    );
    return forks;
  }

  #snapshot(budget: Budget): Promise<Snapshot> {
    budget.snapshots++;
    const snapshot = this.env.then((env) => env.snapshot());
    this.#stepAfter = snapshot.catch(() => {});
    return snapshot;
  }

  async #release(snapshot: Promise<Snapshot>): Promise<void> {
    const taken = await snapshot.catch(() => undefined);
    if (taken !== undefined) await (await this.env).release(taken);
  }

  #hold(work: Promise<unknown>): void {
    this.#pending = Promise.all([this.#pending, work]);
  }

  /** Closes the Env, if there is one, as soon as it is there. Calling it again waits for the same closing. */
  close(): Promise<void> {
    this.#closed ??= this.#pending.then(async () => {
      await this.env.catch(() => {});
      try {
        if (this.#kept !== undefined) await this.#release(this.#kept);
      } finally {
        await this.#end();
      }
    });
    return this.#closed;
  }

  /** Closes the Env without waiting for what is under way on it, now or when it comes. Says nothing of how that went. */
  abandon(): void {
    this.#end().catch(() => {});
  }

  async #end(): Promise<void> {
    const env = await this.env.catch(() => undefined);
    if (this.#ending) return;
    this.#ending = true;
    await env?.close();
  }
}

/** A path that is still being extended. */
export interface Branch<Data, Obs, Act> {
  readonly path: string;
  readonly handle: Handle<Data, Obs, Act>;
  readonly rng: Rng;
  /** Its last turn, or where it starts. */
  node: Node<Obs, Act>;
  /** Children made so far, which numbers the next ones. */
  children: number;
  /** Turns that it may take before it must wait; Infinity unless the tree's are limited. */
  share: number;
  /** Whether its Env is taking a step. */
  stepping: boolean;
  /** Whether it waits at a checkpoint for the others. */
  standing: boolean;
  active: boolean;
}
