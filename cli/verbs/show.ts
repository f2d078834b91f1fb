import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { InputError } from "../../core/errors.ts";
import { type TreeRecord, toTree } from "../../core/run/record.ts";
import { countTrees, readTree, readTrees } from "../../core/run/rollout-run.ts";
import { readManifest } from "../../core/run/run-folder.ts";
import { treeSvg } from "../../core/run/tree-svg.ts";
import { treeText } from "../../core/run/tree-text.ts";
import { type Globals, outputOf, whole } from "../command.ts";

interface Options extends Globals {
  readonly task?: string;
  readonly tree?: number;
  readonly svg?: string;
}

export function showVerb(program: Command): void {
  program
    .command("show")
    .description("show a recorded tree with its scores and decisions")
    .argument("<run>", "run folder")
    .option("--tree <n>", "the n-th tree of the run, from 1", whole(1))
    .option("--task <id>", "the tree of this task, or the first one whose id contains the text")
    .option("--svg <file>", "write it as an SVG too")
    .action(async (path: string, options: Options, command: Command) => {
      const output = outputOf(command);
      const record = await find(path, options);
      const tree = toTree(record);
      if (options.svg !== undefined) {
        await writeFile(options.svg, treeSvg(tree));
        output.note(`wrote ${options.svg}`);
      }
      output.json(record);
      output.line(treeText(tree));
    });
}

/** Without a choice, the first tree whose checkpoint expanded a branch, since it shows most. */
async function find(path: string, { task, tree }: Options): Promise<TreeRecord> {
  await readManifest(path);
  if (tree !== undefined) return nth(path, tree, task);
  let [first, similar]: (TreeRecord | undefined)[] = [];
  for await (const { record } of readTrees(path)) {
    first ??= record;
    const { id } = record.task;
    if (task !== undefined && id.includes(task)) similar ??= record;
    if (task !== undefined ? id === task : expands(record)) return record;
  }
  if (first === undefined) throw new InputError(`show: ${path} holds no finished tree yet`);
  if (task === undefined) return first;
  if (similar !== undefined) return similar;
  throw new InputError(`show: ${path} holds no tree of a task with "${task}" in its id`);
}

async function nth(path: string, tree: number, task: string | undefined): Promise<TreeRecord> {
  const record = await readTree(path, tree);
  if (record !== undefined) {
    const { id } = record.task;
    if (task === undefined || id.includes(task)) return record;
    throw new InputError(
      `show: --tree ${tree} of ${path} is of task ${id}, got --task ${task}; give one of the two`,
    );
  }
  const count = await countTrees(path);
  if (count === 0) throw new InputError(`show: ${path} holds no finished tree yet`);
  throw new InputError(`show: ${path} holds ${count} trees, got --tree ${tree}`);
}

function expands({ checkpoints }: TreeRecord): boolean {
  return checkpoints.some(({ routings }) => routings.some(({ route }) => route === "expand"));
}
