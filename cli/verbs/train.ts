import type { Command } from "commander";
import { type Evaluation, evaluate } from "../../agents/learner/evaluate.ts";
import { createLearner } from "../../agents/learner/learner.ts";
import { createTrainer, type UpdateReport } from "../../agents/learner/trainer.ts";
import { InputError } from "../../core/errors.ts";
import { deriveSeed } from "../../core/rng.ts";
import { RunFolder } from "../../core/run/run-folder.ts";
import type { TaskSet } from "../../core/task.ts";
import { abortOnSignal, type Globals, outputOf, setOptions, whole } from "../command.ts";
import { setOf } from "../kits.ts";
import { strategyNames, strategyOf } from "../spec.ts";
import { percent } from "../tables.ts";
import { LEARNER, runTraining } from "../train-run.ts";
import { describe } from "./rollout.ts";

interface Options extends Globals {
  readonly strategy: string;
  readonly updates: number;
  readonly steps: number;
  readonly seed: number;
  readonly evaluate?: string;
  readonly set: Record<string, string>;
  readonly out?: string;
}

export function trainVerb(program: Command): void {
  program
    .command("train")
    .description("train the in-process learner (a small softmax network) on a task set")
    .argument("<set>", "task set, for example frozen-lake/rllm-train")
    .option("--strategy <spec>", `${strategyNames.join(", ")}; options as patr:every=4,top=1`, "patr")
    .option("--updates <n>", "updates in all", whole(1), 200)
    .option("--steps <n>", "env steps an update may spend", whole(1), 1200)
    .option("--seed <n>", "run seed", whole(0), 0)
    .option("--evaluate <set>", "task set of the same environment to judge the result on")
    .addOption(setOptions())
    .option(
      "--out <folder>",
      "run folder; the same again goes on (default: runs/train-<set>-<strategy>-s<seed>)",
    )
    .action((name: string, options: Options, command: Command) => train(name, options, outputOf(command)));
}

async function train(name: string, options: Options, output: ReturnType<typeof outputOf>): Promise<void> {
  const { kit, set } = await setOf(name, options.set);
  if (kit.learning === undefined) throw new InputError(`train: ${kit.name} has no features for the learner`);
  const judged = options.evaluate === undefined ? undefined : await judgedSet(options.evaluate, kit.name);
  const strategy = strategyOf(options.strategy, kit.checkpointEvery(set));
  const { seed, updates, steps: stepsPerUpdate } = options;
  const out = options.out ?? `runs/train-${name.replaceAll("/", "-")}-${strategy.name}-s${seed}`;
  const config = {
    env: kit.name,
    set: describe(set, options.set),
    seed,
    stepsPerUpdate,
    strategy: { name: strategy.name, options: strategy.options },
  };
  const folder = await RunFolder.open(out, { kind: "train", config });
  const interrupted = abortOnSignal();
  const bar = output.progress("train", updates);
  let problem: string | undefined;
  try {
    const learner = createLearner<unknown, unknown, unknown>({
      ...kit.learning,
      seed: deriveSeed(seed, "weights"),
    });
    const scorer = strategy.scored ? { scorer: kit.progress! } : {};
    const trainer = createTrainer({
      learner,
      env: kit.make,
      tasks: set,
      strategy,
      seed,
      stepsPerUpdate,
      ...scorer,
    });
    const { complete, problems } = await runTraining(folder, {
      learner,
      trainer,
      updates,
      signal: interrupted.signal,
      onUpdate: (report) => {
        problem ??= report.problem;
        bar.update(report.update, updateWords(report));
      },
    });
    bar.stop();
    for (const note of folder.notes) output.note(note);
    if (problem !== undefined) output.note(problem);
    const { update, envSteps } = trainer.state();
    const evaluation =
      judged && complete
        ? await evaluate({ policy: learner, env: kit.make, tasks: judged, seed })
        : undefined;
    output.json({ run: out, complete, update, envSteps, problems, ...evaluation });
    output.line(`${update} of ${updates} updates, ${envSteps} env steps; weights: ${out}/${LEARNER}`);
    if (problems > 0) output.line(`${problems} problems in the rollouts; see ${out}/updates.jsonl`);
    if (evaluation !== undefined) {
      output.line(evaluationLine(judged!.name, evaluation));
    }
    if (!complete) {
      output.line("stopped; the same command goes on");
      process.exitCode = 130;
    }
  } finally {
    bar.stop();
    interrupted.done();
    await folder.close();
  }
}

/** The set to judge by, which must be of the environment that is trained on. */
async function judgedSet(name: string, trained: string): Promise<TaskSet<unknown>> {
  const { kit, set } = await setOf(name, {});
  if (kit.name === trained) return set;
  throw new InputError(
    `train: --evaluate: expected a task set of ${trained}, which is trained on, got "${name}" of ${kit.name}`,
  );
}

/** An update in few words. */
export function updateWords({ success, entropy, problems, leftOut }: UpdateReport): string {
  const told = `${problems > 0 ? `, ${problems} problems` : ""}${leftOut > 0 ? `, ${leftOut} groups left out` : ""}`;
  return `success ${percent(success)}, entropy ${entropy.toFixed(2)}${told}`;
}

/** An evaluation in one line. */
export function evaluationLine(name: string, { success, pass, failed }: Evaluation): string {
  const told = failed > 0 ? `; ${failed} episodes failed and are left out` : "";
  return `${name}: success ${percent(success)}, Pass@4 ${percent(pass)}${told}`;
}
