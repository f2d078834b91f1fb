import { wholeFrom } from "../../core/check.ts";
import { InputError } from "../../core/errors.ts";
import { compileLake, type Lake, type LakeMap } from "./lake.ts";

/** Name of the environment in messages, snapshots and task sets. */
export const RLLM_KIND = "frozen-lake";

/** A move, or what a reply that does not parse comes to. */
export type RllmAction = "left" | "down" | "right" | "up" | "invalid";

/** What the rLLM lake is made with. */
export type RllmLakeData = {
  /** Rows of S, F, H, G with one S and one G. */
  readonly map: LakeMap;
  /** Turns until the episode is cut short, from 1. @default 10 */
  readonly maxTurns?: number;
  /** Whether a move goes to one of its two sides in two thirds of all cases. @default false */
  readonly isSlippery?: boolean;
  /** What the map was drawn from; for people, not used in play. */
  readonly seed?: number;
  readonly size?: number;
  readonly p?: number;
};

/** Data made ready to play. */
export interface RllmRules {
  /** Checked, complete and frozen: snapshots share it. */
  readonly data: RllmLakeData & { readonly maxTurns: number; readonly isSlippery: boolean };
  readonly lake: Lake;
}

const known = new WeakMap<RllmLakeData, RllmRules>();

/** The rules of `data`. Data that rules were made of before, `rules.data` itself, is only looked up. @throws {InputError} */
export function rllmRules(data: RllmLakeData): RllmRules {
  const found = known.get(data);
  if (found !== undefined) return found;
  const { maxTurns = 10, isSlippery = false } = data;
  const lake = compileLake(data.map, RLLM_KIND);
  if (lake.starts.length !== 1 || lake.goals.length !== 1) {
    throw new InputError(
      `${RLLM_KIND}: expected \`map\` to have one S and one G, got ${lake.starts.length} and ${lake.goals.length}`,
    );
  }
  wholeFrom(1, RLLM_KIND, "maxTurns", maxTurns);
  if (typeof isSlippery !== "boolean") {
    throw new InputError(`${RLLM_KIND}: expected \`isSlippery\` to be true or false, got ${isSlippery}`);
  }
  const rules: RllmRules = { data: Object.freeze({ ...data, map: lake.map, maxTurns, isSlippery }), lake };
  known.set(rules.data, rules);
  return rules;
}
