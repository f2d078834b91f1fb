import type { EndReason, Env, Snapshot, Step } from "../../core/env.ts";
import { EpisodeError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Task } from "../../core/task.ts";
import { FROZEN, GOAL, type LakeMap, MOVES } from "./lake.ts";
import { Pcg64 } from "./numpy/pcg64.ts";
import { RLLM_KIND, type RllmAction, type RllmLakeData, type RllmRules, rllmRules } from "./rllm-rules.ts";
import { dataField, endField, markReleased, openSnapshot, rngField, wholeField } from "./snapshots.ts";

/** The lake as the player sees it: all of it. */
export type LakeView = {
  /** Rows of S, F, H, G; the same array in every view of a lake. */
  readonly map: LakeMap;
  /** The player's cell, row * cols + col. */
  readonly player: number;
  readonly turnsLeft: number;
};

const EFFECTIVE: JsonObject = Object.freeze({ effective: true });
const NOT_EFFECTIVE: JsonObject = Object.freeze({ effective: false });

/**
 * FrozenLake as rLLM trains on it and PATR (arXiv 2607.15610) reports it. Source: rLLM v0.2.1 frozenlake.py.
 *
 * Observation: {@link LakeView}, a fresh object each turn.
 * Action: "left", "down", "right" or "up"; a move out of the grid stays. Anything else is "invalid": the turn is
 * spent and nothing moves.
 * Reward: 1 on arriving at the goal, else 0; an invalid action costs no reward.
 * Ends: "success" on the goal, "failure" in a hole, "turn-limit" after `maxTurns` (10); a verdict on the last turn
 * wins over the limit.
 *
 * On a slippery lake the random stream is used as Gymnasium's FrozenLake-v1 does with success rate 1/3: one number
 * at reset, one per move, none for an invalid action. rLLM seeds it with the map's seed, here it is reset's seed.
 * `info` is `{ effective }`: whether the player moved.
 */
export class RllmFrozenLake implements Env<RllmLakeData, LakeView, RllmAction> {
  #rules: RllmRules | undefined;
  /** On a slippery lake only. */
  #rng: Pcg64 | undefined;
  #player = 0;
  #turn = 0;
  #end: EndReason | undefined;
  #closed = false;

  /** @throws {InputError} on malformed data, or on a slippery lake a seed that is not a whole number from 0 to 2^53 - 1. */
  async reset(options: { readonly task: Task<RllmLakeData>; readonly seed: number }): Promise<LakeView> {
    this.#checkOpen();
    const rules = rllmRules(options.task.data);
    const rng = rules.data.isSlippery ? Pcg64.seeded(options.seed) : undefined;
    // Gymnasium draws the start, also from one.
    rng?.random();
    this.#rules = rules;
    this.#rng = rng;
    this.#player = rules.lake.starts[0]!;
    this.#turn = 0;
    this.#end = undefined;
    return view(rules, this.#player, 0);
  }

  async step(action: RllmAction): Promise<Step<LakeView>> {
    const rules = this.#rules;
    if (rules === undefined || this.#end !== undefined) throw this.#cannot("step");
    const { lake, data } = rules;
    const move = (MOVES as readonly string[]).indexOf(action);
    const before = this.#player;
    if (move >= 0) this.#player = lake.next[before * 4 + this.#slip(move)]!;
    this.#turn++;
    const kind = lake.kinds[this.#player]!;
    if (kind === GOAL) this.#end = "success";
    else if (kind !== FROZEN) this.#end = "failure";
    else if (this.#turn >= data.maxTurns) this.#end = "turn-limit";
    return {
      observation: view(rules, this.#player, this.#turn),
      reward: kind === GOAL ? 1 : 0,
      ...(this.#end !== undefined && { end: this.#end }),
      info: this.#player === before ? NOT_EFFECTIVE : EFFECTIVE,
    };
  }

  async snapshot(): Promise<Snapshot> {
    const rules = this.#rules;
    if (rules === undefined) throw this.#cannot("snapshot");
    return {
      kind: RLLM_KIND,
      data: rules.data,
      player: this.#player,
      turn: this.#turn,
      end: this.#end ?? null,
      rng: this.#rng?.save() ?? null,
    };
  }

  /** @throws {EpisodeError} after `close`. @throws {InputError} on a bad `seed` for a slippery lake. */
  async fork(snapshot: Snapshot, options?: { readonly seed?: number }): Promise<RllmFrozenLake> {
    this.#checkOpen();
    openSnapshot(snapshot, RLLM_KIND);
    const rules = dataField(snapshot, RLLM_KIND, rllmRules);
    const child = new RllmFrozenLake();
    child.#rules = rules;
    if (rules.data.isSlippery) {
      const state = rngField(snapshot, RLLM_KIND);
      child.#rng = options?.seed === undefined ? new Pcg64(state) : Pcg64.seeded(options.seed);
    }
    child.#player = wholeField(snapshot, RLLM_KIND, "player", rules.lake.kinds.length - 1);
    child.#turn = wholeField(snapshot, RLLM_KIND, "turn", rules.data.maxTurns);
    child.#end = endField(snapshot, RLLM_KIND);
    return child;
  }

  /** @throws {EpisodeError} after `close`. */
  async release(snapshot: Snapshot): Promise<void> {
    this.#checkOpen();
    markReleased(snapshot);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#rules = undefined;
    this.#rng = undefined;
  }

  /** The move that the ice makes of `move`: the one before it, itself or the one after, each a third. */
  #slip(move: number): number {
    if (this.#rng === undefined) return move;
    const draw = this.#rng.random();
    const slot = SIDE > draw ? 0 : SIDE + 1 / 3 > draw ? 1 : SIDE + 1 / 3 + SIDE > draw ? 2 : 0;
    return (move + slot + 3) & 3;
  }

  #checkOpen(): void {
    if (this.#closed) throw this.#cannot("go on");
  }

  #cannot(what: string): EpisodeError {
    const why = this.#closed
      ? "this handle was closed; make another"
      : this.#rules === undefined
        ? "no episode was started; call reset first"
        : `the episode ended (${this.#end}); call reset first`;
    return new EpisodeError(`${RLLM_KIND}: cannot ${what}: ${why}`);
  }
}

/** What Gymnasium computes for a side: a hair more than a third. */
const SIDE = (1 - 1 / 3) / 2;

function view(rules: RllmRules, player: number, turn: number): LakeView {
  return { map: rules.lake.map, player, turnsLeft: rules.data.maxTurns - turn };
}
