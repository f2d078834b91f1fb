import { type Command, Option } from "commander";
import { InputError } from "../../core/errors.ts";
import { toTree } from "../../core/run/record.ts";
import { readTrees } from "../../core/run/rollout-run.ts";
import { readManifest } from "../../core/run/run-folder.ts";
import type { SweInstance } from "../../envs/swe-bench/instance.ts";
import { PICKS, type Pick, pickedPatches } from "../../envs/swe-bench/picked.ts";
import { type Prediction, writePredictions } from "../../envs/swe-bench/predictions.ts";
import type { SweAction, SweObservation } from "../../envs/swe-bench/types.ts";
import { type Globals, outputOf } from "../command.ts";

interface Options extends Globals {
  readonly out: string;
  readonly pick: Pick;
  readonly model: string;
}

export function predictionsVerb(program: Command): void {
  program
    .command("predictions")
    .description("write the patches of a swe-bench rollout as predictions, one for each task")
    .argument("<run>", "run folder of `forkgym rollout`")
    .requiredOption("--out <file>", "predictions: .jsonl, or .json as mini-swe-agent's preds.json")
    .addOption(
      new Option(
        "--pick <how>",
        "which finished leaf of a tree: progress, that of the highest swe-progress score; first; " +
          "all, the n-th of every tree in the n-th file, out-1.jsonl, out-2.jsonl and so on. None looks at the reward",
      )
        .choices(PICKS)
        .default("progress"),
    )
    .option("--model <name>", "model_name_or_path; with --pick all -1, -2 and so on is added", "forkgym")
    .action((run: string, options: Options, command: Command) => write(run, options, outputOf(command)));
}

async function write(
  run: string,
  { out, pick, model }: Options,
  output: ReturnType<typeof outputOf>,
): Promise<void> {
  const { kind, config } = await readManifest(run);
  if (kind !== "rollout" || config.env !== "swe-bench")
    throw new InputError(
      `predictions: expected a rollout of swe-bench, got ${kind} of ${String(config.env)} in ${run}`,
    );
  const found = new Map<string, readonly string[]>();
  for await (const { record } of readTrees(run)) {
    const tree = toTree<SweInstance, SweObservation, SweAction>(record);
    found.set(tree.task.id, await pickedPatches(tree, pick));
  }
  if (found.size === 0) throw new InputError(`predictions: ${run} holds no finished tree yet`);
  const without = [...found].flatMap(([id, patches]) => (patches.length === 0 ? [id] : []));
  const files = pick === "all" ? numbered(found, model, out) : [{ file: out, rows: nth(found, 0, model) }];
  for (const { file, rows } of files) await writePredictions(file, rows);
  for (const id of without) output.note(`left out: ${id}: no leaf of its tree is finished`);
  const written = files.map(({ file, rows }) => ({ file, predictions: rows.size, ...emptyOf(rows) }));
  output.json({ run, pick, model, files: written, without });
  for (const { file, predictions, empty } of written)
    output.line(
      `${file}: ${predictions} prediction${predictions === 1 ? "" : "s"}${empty === 0 ? "" : `, ${empty} of them without a patch`}`,
    );
  if (without.length > 0) process.exitCode = 1;
}

type Found = ReadonlyMap<string, readonly string[]>;

function numbered(found: Found, model: string, out: string) {
  const most = Math.max(...[...found.values()].map(({ length }) => length));
  return Array.from({ length: Math.max(1, most) }, (_, at) => ({
    file: out.replace(/(\.\w+)?$/, `-${at + 1}$1`),
    rows: nth(found, at, `${model}-${at + 1}`),
  }));
}

/** The n-th patch of every task that has so many. */
function nth(found: Found, at: number, modelName: string): ReadonlyMap<string, Prediction> {
  return new Map(
    [...found].flatMap(([id, patches]) => {
      const patch = patches[at];
      return patch === undefined ? [] : [[id, { modelName, patch }] as const];
    }),
  );
}

function emptyOf(rows: ReadonlyMap<string, Prediction>): { readonly empty: number } {
  return { empty: [...rows.values()].filter(({ patch }) => (patch ?? "").trim() === "").length };
}
