import { access } from "node:fs/promises";
import { join } from "node:path";
import { InputError, messageOf } from "../errors.ts";
import type { RolloutAllOptions } from "../rollout/engine.ts";
import { rolloutAll } from "../rollout/engine.ts";
import type { Tree } from "../rollout/tree.ts";
import { type TaskSet, tasksOf } from "../task.ts";
import { countLines, readJsonl, readJsonlAt } from "./jsonl.ts";
import { checkRecord, type TreeRecord, toRecord, toTree } from "./record.ts";
import { type Summary, Summing } from "./report.ts";
import type { RunFolder } from "./run-folder.ts";

export interface RolloutRunOptions<Data, Obs, Act> extends RolloutAllOptions<Data, Obs, Act> {
  readonly tasks: TaskSet<Data>;
  /** How many of the tasks, from `from` on. @default all that there are */
  readonly count?: number;
  /** Index of the first task. @default 0 */
  readonly from?: number;
  /**
   * Takes the trees of these tasks that have a problem out of the folder, all at once, and grows them again.
   * @default false: a tree that is recorded is not grown again
   */
  readonly retryIncomplete?: boolean;
  /** Told of every tree, those from before included, and how many are done. */
  readonly onTree?: (tree: Tree<Data, Obs, Act>, done: number) => void;
  /** Told how many of the trees the folder held already, before any new one is begun. */
  readonly onResumed?: (done: number) => void;
}

/** File in a run folder that holds a line per finished tree. */
export const TREES = "trees.jsonl";

/**
 * Rolls out the tasks of a set into `trees.jsonl` of a run folder, those that are not in it yet, and sums up the
 * trees of these tasks; trees of other tasks that the folder holds are left alone. A tree that an abort cut short
 * is not recorded, so that the next run grows it whole.
 * @throws {InputError} on a tree that could not be read again, naming the task and the field; it is not written.
 */
export async function runRollouts<Data, Obs, Act>(
  folder: RunFolder,
  options: RolloutRunOptions<Data, Obs, Act>,
): Promise<Summary> {
  const { tasks, count = tasks.size, from = 0, retryIncomplete = false, ...other } = options;
  const { onTree = () => {}, onResumed = () => {}, ...rest } = other;
  const wanted = [...tasksOf(tasks, count, from)];
  const ids = new Set(wanted.map(({ id }) => id));
  const summing = new Summing();
  const done = new Set<string>();
  const add = (tree: Tree<Data, Obs, Act>) => {
    done.add(tree.task.id);
    summing.add(tree);
    onTree(tree, done.size);
  };
  const again = new Set<number>();
  const log = await folder.log(TREES, ({ value, line }) => {
    const record = checkRecord(value, `${TREES} line ${line}`);
    if (!ids.has(record.task.id)) return;
    if (retryIncomplete && record.problems.length > 0) again.add(line);
    else add(toTree(record));
  });
  if (again.size > 0) await log.drop(again);
  onResumed(done.size);
  const left = wanted.filter(({ id }) => !done.has(id));
  await rolloutAll(left, rest, async (tree) => {
    if (rest.signal?.aborted) return;
    await log.appendText(lineOf(tree));
    add(tree);
  });
  return summing.summary();
}

/** The line of a tree, read again before it is written: what JSON drops or changes is found while it can be named. */
function lineOf(tree: Tree<unknown, unknown, unknown>): string {
  const where = `${TREES}: the tree of task ${tree.task.id} cannot be recorded`;
  try {
    const text = JSON.stringify(toRecord(tree));
    checkRecord(JSON.parse(text), where);
    return text;
  } catch (error) {
    const message = messageOf(error).replaceAll(/\s+/g, " ");
    const named = error instanceof InputError ? message : `${where}: ${message}`;
    throw new InputError(
      `${named}; see what the policy, the environment, the scorer and the strategy return`,
    );
  }
}

/** How many finished trees a run folder holds; no tree is read for it. */
export async function countTrees(path: string): Promise<number> {
  const file = join(path, TREES);
  return (await isThere(file)) ? countLines(file) : 0;
}

/** The n-th record of a run folder, from 1; undefined if there are not so many. No other one is parsed. */
export async function readTree(path: string, n: number): Promise<TreeRecord | undefined> {
  const file = join(path, TREES);
  const value = (await isThere(file)) ? await readJsonlAt(file, n) : undefined;
  return value === undefined ? undefined : checkRecord(value, `${TREES} line ${n}`);
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
  if (!(await isThere(file))) return;
  for await (const { value, line } of readJsonl(file, (tail) => onTail(tail.length))) {
    yield { record: checkRecord(value, `${TREES} line ${line}`), line };
  }
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
