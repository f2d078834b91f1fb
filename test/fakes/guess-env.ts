import type { EndReason, Env, Snapshot, Step } from "../../core/env.ts";
import { EpisodeError, SnapshotError } from "../../core/errors.ts";
import { createRng, type Rng, type RngState, restoreRng } from "../../core/rng.ts";
import type { Task } from "../../core/task.ts";

export interface GuessData {
  readonly max: number;
  readonly maxTurns: number;
}

export type GuessState = {
  readonly kind: "guess";
  readonly max: number;
  readonly left: number;
  readonly target: number;
  readonly rng: RngState;
  readonly end: EndReason | null;
};

/**
 * Guess a hidden number that wanders. A small Env with a random stream; the broken ones are made of it.
 *
 * Observation: "start", or "higher", "lower" or "hit" and the turns left.
 * Action: a whole number; any other number is simply wrong.
 * Reward: 1 for the number, else 0.
 * Ends: success on the number; turn-limit after `maxTurns` guesses.
 */
export class GuessEnv implements Env<GuessData, string, number> {
  protected max = 0;
  protected left = 0;
  protected target = 0;
  protected end: EndReason | null = null;
  protected rng: Rng | undefined;
  protected closed = false;
  protected readonly released: WeakSet<object>;

  constructor(released: WeakSet<object> = new WeakSet()) {
    this.released = released;
  }

  async reset({ task, seed }: { task: Task<GuessData>; seed: number }): Promise<string> {
    if (this.closed) throw new EpisodeError("guess: reset on a closed Env");
    this.rng = createRng(seed);
    this.max = task.data.max;
    this.left = task.data.maxTurns;
    this.target = 1 + this.rng.below(this.max);
    this.end = null;
    return "start";
  }

  async step(action: number): Promise<Step<string>> {
    this.checkStep();
    return this.move(action);
  }

  protected checkStep(): void {
    if (this.closed || this.rng === undefined)
      throw new EpisodeError("guess: step before reset or after close");
    if (this.end !== null) throw new EpisodeError("guess: step after the end");
  }

  protected move(action: number): Step<string> {
    this.left--;
    const hit = action === this.target;
    if (hit) this.end = "success";
    else if (this.left <= 0) this.end = "turn-limit";
    const observation = `${hit ? "hit" : action < this.target ? "higher" : "lower"}, ${this.left} left`;
    const wander = this.rng === undefined ? 0 : this.rng.below(3) - 1;
    this.target = Math.min(this.max, Math.max(1, this.target + wander));
    return { observation, reward: hit ? 1 : 0, ...(this.end !== null && { end: this.end }) };
  }

  async snapshot(): Promise<Snapshot> {
    if (this.closed || this.rng === undefined)
      throw new EpisodeError("guess: snapshot before reset or after close");
    return this.save();
  }

  protected save(): GuessState {
    const { max, left, target, end } = this;
    return { kind: "guess", max, left, target, end, rng: this.rng!.state() };
  }

  async fork(snapshot: Snapshot, { seed }: { seed?: number } = {}): Promise<Env<GuessData, string, number>> {
    if (snapshot.kind !== "guess")
      throw new SnapshotError(`guess: not a snapshot of this Env: ${snapshot.kind}`);
    if (this.released.has(snapshot)) throw new SnapshotError("guess: the snapshot was released");
    const fork = this.blank();
    fork.load(snapshot as unknown as GuessState, seed);
    return fork;
  }

  protected blank(): GuessEnv {
    return new GuessEnv(this.released);
  }

  protected load({ max, left, target, end, rng }: GuessState, seed: number | undefined): void {
    Object.assign(this, { max, left, target, end });
    this.rng = seed === undefined ? restoreRng(rng) : createRng(seed);
  }

  async release(snapshot: Snapshot): Promise<void> {
    this.released.add(snapshot);
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
