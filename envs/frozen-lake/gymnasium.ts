import type { EndReason, Env, Snapshot, Step } from "../../core/env.ts";
import { EpisodeError, InputError } from "../../core/errors.ts";
import type { Task } from "../../core/task.ts";
import {
  GYMNASIUM_KIND,
  type GymnasiumLakeData,
  type GymnasiumRules,
  gymnasiumRules,
} from "./gymnasium-rules.ts";
import { FROZEN, GOAL } from "./lake.ts";
import { Pcg64 } from "./numpy/pcg64.ts";
import { dataField, endField, markReleased, openSnapshot, rngField, wholeField } from "./snapshots.ts";

/** 0 left, 1 down, 2 right, 3 up. */
export type GymnasiumAction = 0 | 1 | 2 | 3;

/**
 * Gymnasium's FrozenLake-v1 and FrozenLake8x8-v1, bit for bit: for the same map, options, seed and actions the
 * observations, rewards, ends and probabilities are Gymnasium's own. Source: Gymnasium 1.x frozen_lake.py.
 *
 * Observation: the player's cell as a whole number, row * cols + col, from 0.
 * Action: 0 left, 1 down, 2 right, 3 up; anything else is an InputError, as the type says. On a slippery lake
 * the player goes there with `successRate` (1/3) and else to one of the two sides; a move out of the grid stays.
 * Reward: by the cell arrived on, `rewardSchedule`: goal 1, hole 0, frozen 0 by default.
 * Ends: "success" on a goal, "failure" in a hole, "turn-limit" after `maxTurns` (100); a verdict on the last turn
 * wins over the limit.
 *
 * One random number is drawn at reset and one at each step, on a lake that is not slippery too. `info` is
 * `{ prob }`, the probability of the move that was made.
 */
export class GymnasiumFrozenLake implements Env<GymnasiumLakeData, number, GymnasiumAction> {
  #rules: GymnasiumRules | undefined;
  #rng: Pcg64 | undefined;
  #cell = 0;
  #turn = 0;
  #end: EndReason | undefined;
  #closed = false;

  /** @throws {InputError} on malformed data or a seed that is not a whole number from 0 to 2^53 - 1. */
  async reset(options: { readonly task: Task<GymnasiumLakeData>; readonly seed: number }): Promise<number> {
    this.#checkOpen();
    const rules = gymnasiumRules(options.task.data, this.#rules);
    const rng = Pcg64.seeded(options.seed);
    const draw = rng.random();
    const start = rules.startReach.findIndex((reach) => reach > draw);
    this.#rules = rules;
    this.#rng = rng;
    // No sum above the draw is numpy's argmax of all false, the first cell: only rounding can bring that about.
    this.#cell = start < 0 ? 0 : rules.lake.starts[start]!;
    this.#turn = 0;
    this.#end = undefined;
    return this.#cell;
  }

  /** @throws {InputError} unless `action` is 0, 1, 2 or 3. */
  async step(action: GymnasiumAction): Promise<Step<number>> {
    const rules = this.#rules;
    const rng = this.#rng;
    if (rules === undefined || rng === undefined || this.#end !== undefined) throw this.#cannot("step");
    if (action !== 0 && action !== 1 && action !== 2 && action !== 3) {
      throw new InputError(`${GYMNASIUM_KIND}: expected \`action\` to be 0, 1, 2 or 3, got ${action}`);
    }
    const draw = rng.random();
    let slot = 1;
    if (rules.data.isSlippery) {
      const { reach } = rules;
      if (reach[0] > draw) slot = 0;
      else if (reach[1] > draw) slot = 1;
      else slot = reach[2] > draw ? 2 : 0;
    }
    const { lake } = rules;
    const cell = lake.next[this.#cell * 4 + ((action + slot + 3) & 3)]!;
    const kind = lake.kinds[cell]!;
    const turn = this.#turn + 1;
    this.#cell = cell;
    this.#turn = turn;
    const reward = rules.rewards[kind]!;
    const info = rules.infos[slot]!;
    if (kind === FROZEN && turn < rules.data.maxTurns) return { observation: cell, reward, info };
    const end = kind === FROZEN ? "turn-limit" : kind === GOAL ? "success" : "failure";
    this.#end = end;
    return { observation: cell, reward, end, info };
  }

  async snapshot(): Promise<Snapshot> {
    const rules = this.#rules;
    if (rules === undefined || this.#rng === undefined) throw this.#cannot("snapshot");
    return {
      kind: GYMNASIUM_KIND,
      data: rules.data,
      cell: this.#cell,
      turn: this.#turn,
      end: this.#end ?? null,
      rng: this.#rng.save(),
    };
  }

  /** @throws {EpisodeError} after `close`. @throws {InputError} on a bad `seed`. */
  async fork(snapshot: Snapshot, options?: { readonly seed?: number }): Promise<GymnasiumFrozenLake> {
    this.#checkOpen();
    openSnapshot(snapshot, GYMNASIUM_KIND);
    const rules = dataField(snapshot, GYMNASIUM_KIND, (data) => gymnasiumRules(data, this.#rules));
    const state = rngField(snapshot, GYMNASIUM_KIND);
    const child = new GymnasiumFrozenLake();
    child.#rules = rules;
    child.#rng = options?.seed === undefined ? new Pcg64(state) : Pcg64.seeded(options.seed);
    child.#cell = wholeField(snapshot, GYMNASIUM_KIND, "cell", rules.lake.kinds.length - 1);
    child.#turn = wholeField(snapshot, GYMNASIUM_KIND, "turn", rules.data.maxTurns);
    child.#end = endField(snapshot, GYMNASIUM_KIND);
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

  #checkOpen(): void {
    if (this.#closed) throw this.#cannot("go on");
  }

  #cannot(what: string): EpisodeError {
    const why = this.#closed
      ? "this handle was closed; make another"
      : this.#rules === undefined
        ? "no episode was started; call reset first"
        : `the episode ended (${this.#end}); call reset first`;
    return new EpisodeError(`${GYMNASIUM_KIND}: cannot ${what}: ${why}`);
  }
}

/**
 * Gymnasium's two booleans for how a step ended. There both can be true: its TimeLimit looks at the count alone.
 * Give `turns` for exactly that; without, a verdict on the last turn leaves `truncated` false.
 */
export function gymnasiumFlags(
  end: EndReason | undefined,
  turns?: { readonly taken: number; readonly max: number },
): { readonly terminated: boolean; readonly truncated: boolean } {
  const terminated = end === "success" || end === "failure";
  const limited = end !== undefined && !terminated;
  return { terminated, truncated: limited || (turns !== undefined && turns.taken >= turns.max) };
}
