import { join } from "node:path";
import type { JsonObject } from "../core/json.ts";
import type { Policy } from "../core/policy.ts";
import type { Strategy } from "../core/rollout/strategy.ts";
import type { Tree } from "../core/rollout/tree.ts";
import type { Summary } from "../core/run/report.ts";
import { runRollouts } from "../core/run/rollout-run.ts";
import { RunFolder } from "../core/run/run-folder.ts";
import type { TaskSet } from "../core/task.ts";
import type { AnyEnvKit } from "../envs/kit.ts";
import { percent, table } from "./tables.ts";

/** Several strategies on the same tasks and seeds, each tree with the same number of turns to spend. */
export interface Contest {
  readonly kit: AnyEnvKit;
  readonly tasks: TaskSet<unknown>;
  /** How many tasks, and the index of the first. */
  readonly count: number;
  readonly from: number;
  readonly policy: Policy<unknown, unknown, unknown>;
  readonly strategies: readonly { readonly spec: string; readonly strategy: Strategy }[];
  readonly seeds: readonly number[];
  /** Turns of a tree. */
  readonly budget: number;
  readonly trees: number;
  /** Grows trees with a problem again. */
  readonly retryIncomplete: boolean;
  readonly signal: AbortSignal;
  /** What else decides the result, for the run folders. */
  readonly config: JsonObject;
  readonly out: string;
  readonly onTree: () => void;
  /** Told of what the run folders have to say, the same line once. */
  readonly onNote: (line: string) => void;
}

/** What one strategy came to, over all tasks and seeds. */
export interface Standing {
  readonly strategy: string;
  readonly trees: number;
  readonly leaves: number;
  /** Leaves with an outcome that is 1, and those with any. */
  readonly won: number;
  readonly rewarded: number;
  /** Share of the tasks won at least once, by seed. */
  readonly solved: readonly number[];
  readonly turns: number;
  readonly forks: number;
  readonly pruned: number;
  readonly seconds: number;
  /** Trees with a problem, and the first problem there was. */
  readonly problems: number;
  readonly problem?: string;
}

/** Runs what is not there yet; undefined if it was stopped. Trees are summed up as they come, and not kept. */
export async function contest(options: Contest): Promise<Standing[] | undefined> {
  const standings: Standing[] = [];
  const notes = new Set<string>();
  for (const { spec, strategy } of options.strategies) {
    const sum = new StandingSum(spec);
    for (const seed of options.seeds) {
      const complete = await cell(options, spec, strategy, seed, sum, notes);
      if (!complete) return undefined;
    }
    standings.push(sum.standing());
  }
  return standings;
}

/** One strategy with one seed, added to `sum`. @returns whether it has all its trees. */
async function cell(
  options: Contest,
  spec: string,
  strategy: Strategy,
  seed: number,
  sum: StandingSum,
  notes: Set<string>,
): Promise<boolean> {
  const { kit, tasks, count, from, policy, budget, retryIncomplete, signal, out, onTree } = options;
  const config = {
    ...options.config,
    seed,
    limits: { treeTurns: budget },
    strategy: { name: strategy.name, options: strategy.options },
  };
  const path = join(out, `${spec.replaceAll(/[^\w.=,-]/g, "-")}-s${seed}`);
  const folder = await RunFolder.open(path, { kind: "rollout", config });
  try {
    const summary = await runRollouts(folder, {
      tasks,
      count,
      from,
      env: kit.make,
      policy,
      strategy,
      seed,
      trees: options.trees,
      retryIncomplete,
      limits: { treeTurns: budget },
      signal,
      ...(strategy.scored && { scorer: kit.progress! }),
      onTree: (tree) => {
        sum.add(tree);
        onTree();
      },
    });
    sum.seedDone(summary);
    for (const note of folder.notes) {
      if (!notes.has(note)) options.onNote(note);
      notes.add(note);
    }
    return summary.trees === count;
  } finally {
    await folder.close();
  }
}

class StandingSum {
  readonly #strategy: string;
  readonly #solved: number[] = [];
  readonly #sums = {
    trees: 0,
    leaves: 0,
    won: 0,
    rewarded: 0,
    turns: 0,
    forks: 0,
    pruned: 0,
    seconds: 0,
    problems: 0,
  };
  #problem: string | undefined;

  constructor(strategy: string) {
    this.#strategy = strategy;
  }

  add({ task, leaves, budget, problems: [problem] }: Tree<unknown, unknown, unknown>): void {
    const sums = this.#sums;
    sums.trees++;
    sums.leaves += leaves.length;
    sums.won += leaves.filter(({ reward = 0 }) => reward > 0).length;
    sums.rewarded += leaves.filter(({ reward }) => reward !== undefined).length;
    sums.turns += budget.turns;
    sums.forks += budget.forks;
    sums.pruned += leaves.filter(({ end }) => end.startsWith("pruned")).length;
    sums.seconds += budget.seconds;
    if (problem === undefined) return;
    sums.problems++;
    this.#problem ??= `${task.id}: ${problem}`;
  }

  /** The trees of one seed are all there. */
  seedDone({ solved }: Summary): void {
    this.#solved.push(solved);
  }

  standing(): Standing {
    return {
      strategy: this.#strategy,
      ...this.#sums,
      solved: [...this.#solved],
      ...(this.#problem !== undefined && { problem: this.#problem }),
    };
  }
}

/** The standings as a table. */
export function contestTable(standings: readonly Standing[]): string {
  return table(
    ["strategy", "tasks resolved", "by seed", "leaves resolved", "commands", "forks", "pruned", "seconds"],
    standings.map((each) => [
      each.strategy,
      percent(mean(each.solved)),
      each.solved.map(percent).join(" "),
      `${percent(each.won / each.rewarded)} of ${each.rewarded}`,
      String(each.turns),
      String(each.forks),
      String(each.pruned),
      each.seconds.toFixed(0),
    ]),
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
