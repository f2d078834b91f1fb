import type { Env, Snapshot } from "../env.ts";
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
    const forks = seeds.map((seed, place) =>
      around(place, async () => (await this.env).fork(await snapshot, { seed })),
    );
    const settled = Promise.allSettled(forks);
    this.#hold(
      this.#kept === undefined ? settled.then(() => this.#release(snapshot).catch(onProblem)) : settled,
    );
    return forks.map((env) => new Handle(env));
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

  /** Closes the Env, if there is one. Calling it again waits for the same closing. */
  close(): Promise<void> {
    this.#closed ??= this.#pending.then(async () => {
      const env = await this.env.catch(() => undefined);
      try {
        if (this.#kept !== undefined) await this.#release(this.#kept);
      } finally {
        await env?.close();
      }
    });
    return this.#closed;
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
  /** Turns that it may take until the next checkpoint, where the tree's are limited. */
  share?: number;
  active: boolean;
}
