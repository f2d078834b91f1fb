import { access } from "node:fs/promises";
import { join } from "node:path";
import type { RolloutAllOptions } from "../rollout/engine.ts";
import { rolloutAll } from "../rollout/engine.ts";
import type { Tree } from "../rollout/tree.ts";
import { type TaskSet, tasksOf } from "../task.ts";
import { readJsonl } from "./jsonl.ts";
import { checkRecord, type TreeRecord, toRecord, toTree } from "./record.ts";
import { type Summary, Summing } from "./report.ts";
import type { RunFolder } from "./run-folder.ts";

export interface RolloutRunOptions<Data, Obs, Act> extends RolloutAllOptions<Data, Obs, Act> {
  readonly tasks: TaskSet<Data>;
  /** How many of the tasks, from the first. @default all */
  readonly count?: number;
  /** Told of every tree, those from before included, and how many are done. */
  readonly onTree?: (tree: Tree<Data, Obs, Act>, done: number) => void;
  /** Told how many trees the folder held already, before any new one is begun. */
  readonly onResumed?: (done: number) => void;
}

/** File in a run folder that holds a line per finished tree. */
export const TREES = "trees.jsonl";

/**
 * Rolls out the tasks of a set into `trees.jsonl` of a run folder, those that are not in it yet. A tree that an
 * abort cut short is not recorded, so that the next run grows it whole.
 */
export async function runRollouts<Data, Obs, Act>(
  folder: RunFolder,
  options: RolloutRunOptions<Data, Obs, Act>,
): Promise<Summary> {
  const { tasks, count = tasks.size, onTree = () => {}, onResumed = () => {}, ...rest } = options;
  const summing = new Summing();
  const done = new Set<string>();
  const add = (tree: Tree<Data, Obs, Act>) => {
    done.add(tree.task.id);
    summing.add(tree);
    onTree(tree, done.size);
  };
  const log = await folder.log(TREES, ({ value, line }) =>
    add(toTree(checkRecord(value, `${TREES} line ${line}`))),
  );
  onResumed(done.size);
  const left = [...tasksOf(tasks, count)].filter(({ id }) => !done.has(id));
  await rolloutAll(left, rest, async (tree) => {
    if (rest.signal?.aborted) return;
    await log.append(toRecord(tree));
    add(tree);
  });
  return summing.summary();
}

/** How many finished trees a run folder holds. */
export async function countTrees(path: string): Promise<number> {
  let count = 0;
  for await (const _ of readTrees(path)) count++;
  return count;
}

/**
 * The records of a run folder, in file order; none if there is no file. A last line that was cut off is left out,
 * and its length given to `onTail`.
 */
export async function* readTrees(
  path: string,
  onTail: (bytes: number) => void = () => {},
): AsyncGenerator<{ readonly record: TreeRecord; readonly line: number }> {
  const file = join(path, TREES);
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (!there) return;
  for await (const { value, line } of readJsonl(file, (tail) => onTail(tail.length))) {
    yield { record: checkRecord(value, `${TREES} line ${line}`), line };
  }
}
