import { setImmediate } from "node:timers/promises";
import type { EndReason, Env, Settlement, Snapshot, Step } from "../../core/env.ts";
import { EpisodeError, SnapshotError } from "../../core/errors.ts";
import { createRng, deriveSeed, type Rng, type RngState, restoreRng } from "../../core/rng.ts";
import type { Task } from "../../core/task.ts";

export interface LineData {
  /** Turns until the episode ends. */
  readonly length: number;
}

/** What goes wrong, where, and what was opened and closed: shared by an Env and all its forks. */
export class LineWorld {
  opened = 0;
  closed = 0;
  /** Snapshots taken and not released. */
  held = 0;
  snapshots = 0;
  /** Settles asked for. */
  settled = 0;
  /** Called before each operation; throws to make it fail. */
  fault: (operation: string, history: string) => void | Promise<void> = () => {};
  /** Each operation waits for a number of event-loop rounds that depends on this seed and on nothing else. */
  jitter: number | undefined;

  readonly make = (): LineEnv => new LineEnv(this);

  async before(operation: string, history: string): Promise<void> {
    if (this.jitter !== undefined) {
      for (let rounds = deriveSeed(this.jitter, operation, history) % 4; rounds > 0; rounds--)
        await setImmediate();
    }
    await this.fault(operation, history);
  }
}

/**
 * Writes down the actions it is given, with a random digit after each.
 *
 * Observation: the actions and digits so far.
 * Action: any string; "win" ends it with a reward of 1, "lose" with none.
 * Reward: 1 on "win", else 0; settling is worth 0.25.
 * Ends: success, failure, or turn-limit after `length` turns.
 */
export class LineEnv implements Env<LineData, string, string> {
  readonly #world: LineWorld;
  #history = "";
  #turn = 0;
  #length = 0;
  #end: EndReason | undefined;
  #rng: Rng | undefined;
  #closed = false;

  constructor(world: LineWorld) {
    this.#world = world;
    world.opened++;
  }

  async reset({ task, seed }: { task: Task<LineData>; seed: number }): Promise<string> {
    await this.#world.before("reset", "");
    this.#length = task.data.length;
    this.#rng = createRng(seed);
    return "";
  }

  async step(action: string): Promise<Step<string>> {
    await this.#world.before("step", `${this.#history}/${action}`);
    if (this.#rng === undefined || this.#closed || this.#end !== undefined)
      throw new EpisodeError("line: no step now");
    this.#history += `/${action}${this.#rng.below(10)}`;
    this.#turn++;
    if (action === "win") this.#end = "success";
    else if (action === "lose") this.#end = "failure";
    else if (this.#turn === this.#length) this.#end = "turn-limit";
    const end = this.#end;
    return {
      observation: this.#history,
      reward: action === "win" ? 1 : 0,
      ...(end !== undefined && { end }),
    };
  }

  async snapshot(): Promise<Snapshot> {
    await this.#world.before("snapshot", this.#history);
    this.#world.held++;
    this.#world.snapshots++;
    return { history: this.#history, turn: this.#turn, length: this.#length, rng: this.#rng!.state() };
  }

  async fork(snapshot: Snapshot, { seed }: { seed?: number } = {}): Promise<LineEnv> {
    await this.#world.before("fork", String(snapshot.history));
    if (this.#closed) throw new EpisodeError("line: fork on a closed Env");
    if (typeof snapshot.history !== "string") throw new SnapshotError("line: not a snapshot");
    const fork = new LineEnv(this.#world);
    fork.#history = snapshot.history;
    fork.#turn = Number(snapshot.turn);
    fork.#length = Number(snapshot.length);
    fork.#rng = seed === undefined ? restoreRng(snapshot.rng as unknown as RngState) : createRng(seed);
    return fork;
  }

  async release(): Promise<void> {
    await this.#world.before("release", "");
    this.#world.held--;
  }

  async settle(): Promise<Settlement> {
    await this.#world.before("settle", this.#history);
    this.#world.settled++;
    return { reward: 0.25, info: { settled: true } };
  }

  async close(): Promise<void> {
    await this.#world.before("close", this.#history);
    if (!this.#closed) this.#world.closed++;
    this.#closed = true;
  }
}
