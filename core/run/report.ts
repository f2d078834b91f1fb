import { addBudget, type Budget, emptyBudget } from "../rollout/budget.ts";
import type { LeafEnd, Tree } from "../rollout/tree.ts";

/** What a run's trees amount to. Means are over what is named; NaN where there is nothing. */
export interface Summary {
  readonly trees: number;
  /** Trees with a problem. */
  readonly incomplete: number;
  readonly leaves: number;
  /** Share of the leaves with a reward above 0, among those that have a reward. */
  readonly success: number;
  /** Share of the trees with at least one such leaf. */
  readonly solved: number;
  /** Share of the trees whose leaves differ in reward, which is what a group needs to teach anything. */
  readonly mixed: number;
  /** Turns from the root to a leaf. */
  readonly turns: number;
  readonly ends: Readonly<Partial<Record<LeafEnd, number>>>;
  readonly budget: Budget;
}

/** Sums up trees one at a time, so that a run need not be in memory. */
export class Summing {
  #trees = 0;
  #incomplete = 0;
  #leaves = 0;
  #rewarded = 0;
  #successes = 0;
  #solved = 0;
  #mixed = 0;
  #turns = 0;
  readonly #ends: Partial<Record<LeafEnd, number>> = {};
  readonly #budget = emptyBudget();

  add({ leaves, problems, budget }: Tree<unknown, unknown, unknown>): void {
    this.#trees++;
    if (problems.length > 0) this.#incomplete++;
    const rewards = leaves.flatMap(({ reward }) => (reward === undefined ? [] : [reward]));
    const successes = rewards.filter((reward) => reward > 0).length;
    this.#leaves += leaves.length;
    this.#rewarded += rewards.length;
    this.#successes += successes;
    if (successes > 0) this.#solved++;
    if (new Set(rewards).size > 1) this.#mixed++;
    for (const { node, end } of leaves) {
      this.#turns += node.turn;
      this.#ends[end] = (this.#ends[end] ?? 0) + 1;
    }
    addBudget(this.#budget, budget);
  }

  summary(): Summary {
    return {
      trees: this.#trees,
      incomplete: this.#incomplete,
      leaves: this.#leaves,
      success: this.#successes / this.#rewarded,
      solved: this.#solved / this.#trees,
      mixed: this.#mixed / this.#trees,
      turns: this.#turns / this.#leaves,
      ends: { ...this.#ends },
      budget: { ...this.#budget },
    };
  }
}

/** The summary of trees that are at hand. */
export function summarize(trees: Iterable<Tree<unknown, unknown, unknown>>): Summary {
  const summing = new Summing();
  for (const tree of trees) summing.add(tree);
  return summing.summary();
}
