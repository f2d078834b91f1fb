import { wholeFrom, within } from "../../core/check.ts";
import { InputError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { compileLake, type Lake, type LakeMap } from "./lake.ts";

/** Name of the environment in messages, snapshots and task sets. */
export const GYMNASIUM_KIND = "frozen-lake-v1";

/** What Gymnasium's FrozenLake-v1 is made with. */
export type GymnasiumLakeData = {
  /** `desc`: rows of S, F, H, G; several S and G are allowed. */
  readonly map: LakeMap;
  /** @default true */
  readonly isSlippery?: boolean;
  /** Probability of the chosen move on a slippery lake, 0 to 1; the two moves beside it share the rest. @default 1/3 */
  readonly successRate?: number;
  /** Rewards for arriving on goal, hole and frozen ice. @default [1, 0, 0] */
  readonly rewardSchedule?: readonly [goal: number, hole: number, frozen: number];
  /** `max_episode_steps`, from 1. @default 100; FrozenLake8x8-v1 has 200 */
  readonly maxTurns?: number;
};

/** Data made ready to play. */
export interface GymnasiumRules {
  /** Checked, complete and frozen through and through: snapshots share it. */
  readonly data: Required<GymnasiumLakeData>;
  readonly lake: Lake;
  /** Rewards by kind of cell: frozen, hole, goal. */
  readonly rewards: readonly [number, number, number];
  /** Cumulative probabilities of the move before, the chosen one and the one after, as numpy's cumsum adds them. */
  readonly reach: readonly [number, number, number];
  /** `info` by slot: 0 before, 1 chosen, 2 after. */
  readonly infos: readonly [JsonObject, JsonObject, JsonObject];
  /** Cumulative probabilities of the S cells. */
  readonly startReach: readonly number[];
}

const known = new WeakMap<GymnasiumLakeData, GymnasiumRules>();

/**
 * The rules of `data`. Data that rules were made of before, `rules.data` itself, is only looked up, and `last` is
 * used again for data that says the same, which is what a handle that is reset over and over gets.
 * @throws {InputError}
 */
export function gymnasiumRules(data: GymnasiumLakeData, last?: GymnasiumRules): GymnasiumRules {
  const found = known.get(data);
  if (found !== undefined) return found;
  if (last !== undefined && sameData(last.data, data)) return last;
  const rules = readRules(data);
  known.set(rules.data, rules);
  return rules;
}

/** Whether data, read with the defaults, says what complete data says; compared by value, for it may have been changed. */
function sameData(complete: Required<GymnasiumLakeData>, data: GymnasiumLakeData): boolean {
  const { isSlippery = true, successRate = 1 / 3, rewardSchedule = [1, 0, 0], maxTurns = 100 } = data;
  return (
    isSlippery === complete.isSlippery &&
    successRate === complete.successRate &&
    maxTurns === complete.maxTurns &&
    sameItems(complete.rewardSchedule, rewardSchedule) &&
    sameItems(complete.map, data.map)
  );
}

function sameItems(complete: readonly unknown[], given: unknown): boolean {
  if (!Array.isArray(given) || given.length !== complete.length) return false;
  for (let at = 0; at < complete.length; at++) if (complete[at] !== given[at]) return false;
  return true;
}

function readRules(data: GymnasiumLakeData): GymnasiumRules {
  const { isSlippery = true, successRate = 1 / 3, rewardSchedule = [1, 0, 0], maxTurns = 100 } = data;
  const lake = compileLake(data.map, GYMNASIUM_KIND);
  if (typeof isSlippery !== "boolean") {
    throw new InputError(`${GYMNASIUM_KIND}: expected \`isSlippery\` to be true or false, got ${isSlippery}`);
  }
  within(0, 1, GYMNASIUM_KIND, "successRate", successRate);
  wholeFrom(1, GYMNASIUM_KIND, "maxTurns", maxTurns);
  if (
    !Array.isArray(rewardSchedule) ||
    rewardSchedule.length !== 3 ||
    !rewardSchedule.every(Number.isFinite)
  ) {
    throw new InputError(
      `${GYMNASIUM_KIND}: expected \`rewardSchedule\` to be three numbers (goal, hole, frozen), ` +
        `got ${JSON.stringify(rewardSchedule)}`,
    );
  }
  const [goal, hole, frozen] = rewardSchedule;
  const fail = (1 - successRate) / 2;
  const info = (prob: number): JsonObject => Object.freeze({ prob });
  return {
    data: Object.freeze({
      map: lake.map,
      isSlippery,
      successRate,
      rewardSchedule: Object.freeze([goal, hole, frozen] as const),
      maxTurns,
    }),
    lake,
    rewards: [frozen, hole, goal],
    reach: [fail, fail + successRate, fail + successRate + fail],
    infos: isSlippery ? [info(fail), info(successRate), info(fail)] : [info(1), info(1), info(1)],
    startReach: startReach(lake.starts.length),
  };
}

/** Running sums of 1/count, in the order of the cells: what numpy's cumsum over the whole grid steps through. */
function startReach(count: number): number[] {
  let sum = 0;
  return Array.from({ length: count }, () => {
    sum += 1 / count;
    return sum;
  });
}
