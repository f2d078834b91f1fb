import { oneOf, onlyKnown } from "../check.ts";
import { InputError } from "../errors.ts";

/** Which standard deviation divides: over n (rLLM), over n - 1 (verl), or none (Dr. GRPO). */
export type StandardDeviation = "population" | "sample" | "none";

export interface GrpoOptions {
  /** @default "population" */
  readonly std?: StandardDeviation;
  /** Added to the standard deviation; at least 0. @default 1e-6 */
  readonly epsilon?: number;
}

/**
 * GRPO: A = (r - mean) / (std + epsilon), one number per reward.
 *
 * The two trainers differ in the standard deviation, so it is named: one success in a group of eight is worth
 * 2.646 with `population` (rLLM) and 2.475 with `sample` (verl core_algos.py). A group of one has mean 0 and
 * std 1, thus A = r (both): leave out those that failures cut to one leaf, see `isRemnant`. Equal rewards give
 * exactly 0, whatever rounding does to their mean.
 * @throws {InputError} on a reward that is NaN or infinite, naming its index, and on an unknown option or value.
 */
export function grpo(rewards: readonly number[], options: GrpoOptions = {}): number[] {
  const { std = "population", epsilon = 1e-6 } = options;
  onlyKnown("grpo", options, { std, epsilon });
  oneOf(["population", "sample", "none"], "grpo", "std", std);
  if (!(epsilon >= 0 && Number.isFinite(epsilon))) {
    throw new InputError(`grpo: expected \`epsilon\` to be a number from 0 up, got ${epsilon}`);
  }
  checkRewards("grpo", rewards);
  if (rewards.length <= 1) return [...rewards];
  if (!differ(rewards)) return rewards.map(() => 0);
  const mean = meanOf(rewards);
  const scale = std === "none" ? 1 : deviation(rewards, mean, std) + epsilon;
  return rewards.map((reward) => (reward - mean) / scale);
}

/**
 * Dr. GRPO (arXiv 2503.20783): A = r - mean, with no standard deviation. A group of one: A = r.
 * Its loss is a sum of tokens over a constant: `seq-mean-token-sum-norm` in `objective.ts`.
 * @throws {InputError} on a reward that is NaN or infinite, naming its index.
 */
export function drGrpo(rewards: readonly number[]): number[] {
  return grpo(rewards, { std: "none" });
}

/**
 * RLOO: a reward minus the mean of the others, which is n / (n - 1) * (r - mean). A group of one: A = r, as
 * in verl core_algos.py.
 * @throws {InputError} on a reward that is NaN or infinite, naming its index.
 */
export function rloo(rewards: readonly number[]): number[] {
  checkRewards("rloo", rewards);
  const n = rewards.length;
  if (n <= 1) return [...rewards];
  if (!differ(rewards)) return rewards.map(() => 0);
  const mean = meanOf(rewards);
  return rewards.map((reward) => (n / (n - 1)) * (reward - mean));
}

/** Whether at least two numbers differ. Exact, unlike a standard deviation above 0, which rounding can fake. */
export function differ(rewards: readonly number[]): boolean {
  return rewards.some((reward) => reward !== rewards[0]);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[], mean: number, std: "population" | "sample"): number {
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (std === "sample" ? values.length - 1 : values.length));
}

function checkRewards(part: string, rewards: readonly number[]): void {
  rewards.forEach((reward, index) => {
    if (!Number.isFinite(reward)) {
      throw new InputError(`${part}: expected finite rewards, got ${reward} at index ${index}`);
    }
  });
}
