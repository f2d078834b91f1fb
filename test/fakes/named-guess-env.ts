import type { Env, Snapshot } from "../../core/env.ts";
import { SnapshotError } from "../../core/errors.ts";
import { type GuessData, GuessEnv, type GuessState } from "./guess-env.ts";

/** What is behind the snapshots of an Env and its forks, as a database would hold it. */
export class GuessStore {
  readonly held: Map<string, GuessState> = new Map();
  #count = 0;

  put(state: GuessState): string {
    const name = `guess-${this.#count++}`;
    this.held.set(name, state);
    return name;
  }
}

/** The guessing game with snapshots that are names: each has one of its own, and the state is held elsewhere. */
export class NamedGuessEnv extends GuessEnv {
  protected readonly store: GuessStore;

  constructor(store: GuessStore) {
    super();
    this.store = store;
  }

  override async snapshot(): Promise<Snapshot> {
    return { kind: "named-guess", name: this.store.put((await super.snapshot()) as unknown as GuessState) };
  }

  override async fork(
    snapshot: Snapshot,
    options?: { seed?: number },
  ): Promise<Env<GuessData, string, number>> {
    const state = this.store.held.get(String(snapshot.name));
    if (snapshot.kind !== "named-guess" || state === undefined) {
      throw new SnapshotError(`named guess: no snapshot ${JSON.stringify(snapshot)}; it was released`);
    }
    return super.fork(state, options);
  }

  protected override blank(): GuessEnv {
    return new NamedGuessEnv(this.store);
  }

  override async release(snapshot: Snapshot): Promise<void> {
    this.store.held.delete(String(snapshot.name));
  }
}
