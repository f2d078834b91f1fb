import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { InputError, messageOf } from "../../core/errors.ts";
import { forEachPooled } from "../../core/pool.ts";
import type { SweInstance } from "../../envs/swe-bench/instance.ts";
import { readInstances } from "../../envs/swe-bench/rows/index.ts";
import { patchedFiles } from "../../envs/swe-bench/rows/patch-files.ts";
import { chosenBy } from "../../envs/swe-bench/rows/set.ts";
import { abortOnSignal, type Globals, outputOf, whole } from "../command.ts";

interface Options extends Globals {
  readonly dataset: string;
  readonly out: string;
  readonly repo: string;
  readonly instances?: string;
  readonly split?: string;
  readonly workers: number;
  readonly singleCommit?: boolean;
  readonly cache?: string;
}

export function prepareVerb(program: Command): void {
  program
    .command("prepare")
    .description("make each task's repository at its base commit, with nothing in it of what came later")
    .requiredOption("--dataset <file>", "rows as published: .parquet, .json, .jsonl, or a folder of them")
    .option("--split <name>", "only this split: of a folder its files, of rows their field `split`")
    .requiredOption("--out <folder>", "a folder for each task comes here; the same command again goes on")
    .option(
      "--repo <place>",
      "address or folder of the repositories; {repo} is owner/name",
      "https://github.com/{repo}.git",
    )
    .option("--instances <ids>", "only these, separated by commas")
    .addOption(
      new Option("--workers <n>", "tasks at once")
        .argParser(whole(1))
        .default(availableParallelism(), "one per core"),
    )
    .option("--single-commit", "keep the base commit without its past: smaller and quicker")
    .addOption(
      new Option("--cache <folder>", "mirrors of the repositories, each fetched once").default(
        undefined,
        "<out>/.mirrors",
      ),
    )
    .action((options: Options, command: Command) => prepareAll(options, outputOf(command)));
}

async function prepareAll(options: Options, output: ReturnType<typeof outputOf>): Promise<void> {
  const { dataset, split, out, repo, workers, singleCommit = false, cache = join(out, ".mirrors") } = options;
  const { instances, refused } = await readInstances(dataset, { ...(split !== undefined && { split }) });
  const chosen = chosenBy(instances, options.instances?.split(","));
  const rejected = options.instances === undefined ? refused : [];
  for (const { message } of rejected) output.note(`left out: ${message}`);
  const { prepareWorkspace, workspaceIn } = await import("../../envs/swe-bench/prepare/index.ts");
  const made: string[] = [];
  const there: string[] = [];
  const failed: { readonly id: string; readonly message: string }[] = [];
  const interrupted = abortOnSignal();
  const { signal } = interrupted;
  const bar = output.progress("prepare", chosen.length);
  const done = () => made.length + there.length + failed.length;

  async function prepareOne(instance: SweInstance): Promise<void> {
    if (signal.aborted) return;
    const { id, baseCommit, hidden } = instance;
    try {
      const prepared = await prepareWorkspace({
        repo: repo.replaceAll("{repo}", instance.repo),
        baseCommit,
        out: workspaceIn(out, id),
        hide: newFiles(hidden.testPatch),
        singleCommit,
        cache,
        signal,
        onNote: output.note,
      });
      (prepared.made ? made : there).push(id);
      output.line(`${id}  ${prepared.made ? "made" : "there already"}`);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof InputError) && !isSystemError(error)) throw error;
      failed.push({ id, message: messageOf(error) });
      output.line(`${id}  failed: ${messageOf(error)}`);
    }
    bar.update(done());
  }

  try {
    await forEachPooled(chosen, workers, prepareOne);
  } finally {
    bar.stop();
    interrupted.done();
  }
  output.json({ out, made, there, failed, refused: rejected });
  const counts = `${made.length} made, ${there.length} there already, ${failed.length} failed`;
  output.line(`${counts}${rejected.length > 0 ? `, ${rejected.length} rows left out` : ""}: ${out}`);
  if (signal.aborted) {
    output.note(`stopped with ${done()} of ${chosen.length}; the same command goes on`);
    process.exitCode = 130;
  } else if (failed.length + rejected.length > 0) process.exitCode = 1;
}

/** Files that the tests to come bring with them. */
function newFiles(testPatch: string): string[] {
  return patchedFiles(testPatch).flatMap(({ before, after }) =>
    before === null && after !== null ? [after] : [],
  );
}

/** A full disk, a folder that cannot be written: this task's misfortune. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
