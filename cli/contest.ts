import { join } from "node:path";
import type { JsonObject } from "../core/json.ts";
import type { Policy } from "../core/policy.ts";
import type { Strategy } from "../core/rollout/strategy.ts";
import type { Tree } from "../core/rollout/tree.ts";
import { runRollouts } from "../core/run/rollout-run.ts";
import { RunFolder } from "../core/run/run-folder.ts";
import type { TaskSet } from "../core/task.ts";
import type { AnyEnvKit } from "../envs/kit.ts";
import { percent, table } from "./tables.ts";

/** Several strategies on the same tasks and seeds, each tree with the same number of turns to spend. */
export interface Contest {
  readonly kit: AnyEnvKit;
  readonly tasks: TaskSet<unknown>;
  readonly count: number;
  readonly policy: Policy<unknown, unknown, unknown>;
  readonly strategies: readonly { readonly spec: string; readonly strategy: Strategy }[];
  readonly seeds: readonly number[];
  /** Turns of a tree. */
  readonly budget: number;
  readonly trees: number;
  readonly signal: AbortSignal;
  /** What else decides the result, for the run folders. */
  readonly config: JsonObject;
  readonly out: string;
  readonly onTree: () => void;
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
  readonly problems: number;
}

/** Runs what is not there yet; undefined if it was stopped. */
export async function contest(options: Contest): Promise<Standing[] | undefined> {
  const standings: Standing[] = [];
  for (const { spec, strategy } of options.strategies) {
    const seeds: Tree<unknown, unknown, unknown>[][] = [];
    for (const seed of options.seeds) {
      const trees = await cell(options, spec, strategy, seed);
      if (trees === undefined) return undefined;
      seeds.push(trees);
    }
    standings.push(standingOf(spec, seeds));
  }
  return standings;
}

async function cell(
  options: Contest,
  spec: string,
  strategy: Strategy,
  seed: number,
): Promise<Tree<unknown, unknown, unknown>[] | undefined> {
  const { kit, tasks, count, policy, budget, signal, out, onTree } = options;
  const config = {
    ...options.config,
    seed,
    limits: { treeTurns: budget },
    strategy: { name: strategy.name, options: strategy.options },
  };
  const path = join(out, `${spec.replaceAll(/[^\w.=,-]/g, "-")}-s${seed}`);
  const folder = await RunFolder.open(path, { kind: "rollout", config });
  const trees: Tree<unknown, unknown, unknown>[] = [];
  try {
    await runRollouts(folder, {
      tasks,
      count,
      env: kit.make,
      policy,
      strategy,
      seed,
      trees: options.trees,
      limits: { treeTurns: budget },
      signal,
      ...(strategy.scored && { scorer: kit.progress! }),
      onTree: (tree) => {
        trees.push(tree);
        onTree();
      },
    });
    for (const note of folder.notes) options.onNote(note);
  } finally {
    await folder.close();
  }
  return trees.length < count ? undefined : trees;
}

function standingOf(strategy: string, seeds: readonly Tree<unknown, unknown, unknown>[][]): Standing {
  const trees = seeds.flat();
  const leaves = trees.flatMap((tree) => tree.leaves);
  const sum = (of: (tree: Tree<unknown, unknown, unknown>) => number) =>
    trees.reduce((total, tree) => total + of(tree), 0);
  const isWon = ({ leaves }: Tree<unknown, unknown, unknown>) => leaves.some(({ reward = 0 }) => reward > 0);
  return {
    strategy,
    trees: trees.length,
    leaves: leaves.length,
    won: leaves.filter(({ reward = 0 }) => reward > 0).length,
    rewarded: leaves.filter(({ reward }) => reward !== undefined).length,
    solved: seeds.map((each) => each.filter(isWon).length / each.length),
    turns: sum(({ budget }) => budget.turns),
    forks: sum(({ budget }) => budget.forks),
    pruned: leaves.filter(({ end }) => end.startsWith("pruned")).length,
    seconds: sum(({ budget }) => budget.seconds),
    problems: trees.filter(({ problems }) => problems.length > 0).length,
  };
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
