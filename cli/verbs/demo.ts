import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { createLearner, type Learner } from "../../agents/learner/learner.ts";
import { createTrainer } from "../../agents/learner/trainer.ts";
import { deriveSeed } from "../../core/rng.ts";
import { patr } from "../../core/rollout/strategies/patr.ts";
import type { Tree } from "../../core/rollout/tree.ts";
import { runRollouts } from "../../core/run/rollout-run.ts";
import { RunFolder } from "../../core/run/run-folder.ts";
import { treeText } from "../../core/run/tree-text.ts";
import { isMixed } from "../../core/training/group.ts";
import { abortOnSignal, type Globals, outputOf } from "../command.ts";
import { runComparison } from "../compare/compare-run.ts";
import { variantNamed } from "../compare/methods.ts";
import { configOf, frozenLakeRegimes } from "../compare/regimes.ts";
import { kitOf, setOf } from "../kits.ts";
import type { Output } from "../output.ts";
import { percent, summaryLines } from "../tables.ts";
import { runTraining } from "../train-run.ts";
import { describe } from "./rollout.ts";

const SEED = 0;
const TRAIN = { set: "frozen-lake/rllm-train", updates: 40, stepsPerUpdate: 1200 };
const TEST = "frozen-lake/rllm-test";
/** Small enough for a minute on two cores; `forkgym compare` does it in full. */
const COMPARE = { seeds: 3, updates: { hard: 200, rllm: 100 } as Readonly<Record<string, number>> };
const COMPARED = [
  ["grpo", "n=4"],
  ["dapo", "n=4"],
  ["arpo", "4 to 8"],
  ["tree-random", "k=2 M=3"],
  ["patr", "k=2 M=3"],
] as const;

interface Options extends Globals {
  readonly out: string;
}

export function demoVerb(program: Command): void {
  program
    .command("demo")
    .description(
      "train a small policy, roll out PATR trees on rLLM's 100 test lakes, compare methods: a minute, offline",
    )
    .option("--out <folder>", "run folder; a second run goes on or says that it is complete", "runs/demo")
    .action(async ({ out }: Options, command: Command) => {
      const output = outputOf(command);
      const regimes = frozenLakeRegimes.map((regime) => ({
        ...regime,
        updates: COMPARE.updates[regime.name]!,
      }));
      const kit = kitOf("frozen-lake");
      const train = (await setOf(TRAIN.set, {})).set;
      const test = (await setOf(TEST, {})).set;
      const strategy = patr({ every: kit.checkpointEvery(test) });
      const config = {
        env: kit.name,
        set: describe(test, {}),
        seed: SEED,
        strategy: { name: strategy.name, options: strategy.options },
        train: { ...TRAIN, digest: train.digest() },
        compare: { ...COMPARE, regimes: regimes.map(configOf) },
      };
      const folder = await RunFolder.open(out, { kind: "demo", config });
      const interrupted = abortOnSignal();
      const { signal } = interrupted;
      let fresh = 0;
      try {
        const learner = createLearner<unknown, unknown, unknown>({
          ...kit.learning!,
          seed: deriveSeed(SEED, "weights"),
        });
        const scorer = kit.progress!;
        const { stepsPerUpdate, updates } = TRAIN;
        const trainer = createTrainer({
          learner,
          env: kit.make,
          tasks: train,
          strategy,
          scorer,
          seed: SEED,
          stepsPerUpdate,
        });
        const training = output.progress("train on rLLM's lakes", updates);
        await runTraining(folder, {
          learner,
          trainer,
          updates,
          signal,
          onUpdate: ({ update, success }) => {
            fresh++;
            training.update(update, `success ${percent(success)}`);
          },
        });
        training.stop();
        signal.throwIfAborted();
        fresh += await showTrees(folder, learner, output, signal);
        signal.throwIfAborted();
        output.line();
        output.line("The same learner, trained from nothing with each method at equal env steps:");
        const comparison = await runComparison(folder, {
          regimes,
          variants: COMPARED.map(([method, setting]) => variantNamed(method, setting)),
          seeds: COMPARE.seeds,
          workers: availableParallelism(),
          signal,
          output,
        });
        output.line();
        output.line(comparison.report);
        output.line();
        for (const note of folder.notes) output.note(note);
        output.json({ run: out, resumed: folder.resumed, complete: true, cells: comparison.cells });
        if (folder.resumed && fresh === 0)
          output.line("This run was complete already; nothing was done again.");
        output.line(`run: ${out}  (try: forkgym replay ${out}; forkgym show ${out} --svg tree.svg)`);
      } catch (error) {
        if (!signal.aborted) throw error;
        output.note(`stopped; the same command goes on with what is in ${out}`);
        process.exitCode = 130;
      } finally {
        interrupted.done();
        await folder.close();
      }
    });
}

/** Rolls out the test lakes, prints the tree that shows most, and says how many trees are new. */
async function showTrees(
  folder: RunFolder,
  policy: Learner<unknown, unknown, unknown>,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const { kit, set: tasks } = await setOf(TEST, {});
  const strategy = patr({ every: kit.checkpointEvery(tasks) });
  let shown: Tree<unknown, unknown, unknown> | undefined;
  let [before, all] = [0, 0];
  const bar = output.progress("PATR trees", tasks.size);
  const summary = await runRollouts(folder, {
    tasks,
    env: kit.make,
    policy,
    strategy,
    scorer: kit.progress!,
    seed: SEED,
    signal,
    trees: 4,
    onTree: (tree, done) => {
      all = done;
      bar.update(done);
      if (interest(tree) > (shown === undefined ? -1 : interest(shown))) shown = tree;
    },
    onResumed: (done) => {
      before = done;
    },
  });
  bar.stop();
  if (shown !== undefined) output.line(treeText(shown));
  output.line();
  output.line(`PATR on ${TEST}:`);
  for (const line of summaryLines(summary)) output.line(line);
  return all - before;
}

/** Checkpoints, and whether the leaves differ: what makes a tree worth looking at. */
function interest({ checkpoints, leaves }: Tree<unknown, unknown, unknown>): number {
  const rewards = leaves.flatMap(({ reward }) => reward ?? []);
  const expanded = checkpoints
    .flatMap(({ routings }) => routings)
    .filter(({ route }) => route === "expand").length;
  return expanded + (isMixed({ rewards }) ? 10 : 0);
}
