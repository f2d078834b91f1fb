import { readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { createLearner, type LearnerState } from "../../agents/learner/learner.ts";
import { random } from "../../agents/random.ts";
import { InputError, messageOf } from "../../core/errors.ts";
import { canonicalJson, type JsonObject, sha256 } from "../../core/json.ts";
import type { Policy } from "../../core/policy.ts";
import { runRollouts } from "../../core/run/rollout-run.ts";
import { RunFolder } from "../../core/run/run-folder.ts";
import type { TaskSet } from "../../core/task.ts";
import type { AnyEnvKit } from "../../envs/kit.ts";
import { abortOnSignal, type Globals, outputOf, setOptions, whole } from "../command.ts";
import { setOf } from "../kits.ts";
import { strategyNames, strategyOf } from "../spec.ts";
import { summaryLines } from "../tables.ts";

interface Options extends Globals {
  readonly policy: string;
  readonly strategy: string;
  readonly seed: number;
  readonly tasks?: number;
  readonly trees: number;
  readonly set: Record<string, string>;
  readonly out?: string;
}

export function rolloutVerb(program: Command): void {
  program
    .command("rollout")
    .description("roll out a task set and record the trees")
    .argument("<set>", "task set, for example frozen-lake/rllm-test")
    .option(
      "--policy <policy>",
      "random, or learner:FILE with the weights that `forkgym train` saved",
      "random",
    )
    .option("--strategy <spec>", `${strategyNames.join(", ")}; options as patr:every=4,top=1`, "patr")
    .option("--seed <n>", "run seed", whole(0), 0)
    .option("--tasks <n>", "only the first n tasks", whole(1))
    .option("--trees <n>", "trees grown at once", whole(1), 4)
    .addOption(setOptions())
    .addOption(
      new Option("--out <folder>", "run folder; the same again resumes").default(
        undefined,
        "runs/<set>-<strategy>-s<seed>",
      ),
    )
    .action((name: string, options: Options, command: Command) =>
      rolloutSet(name, options, outputOf(command)),
    );
}

async function rolloutSet(
  name: string,
  options: Options,
  output: ReturnType<typeof outputOf>,
): Promise<void> {
  const { kit, set } = await setOf(name, options.set);
  const strategy = strategyOf(options.strategy, kit.checkpointEvery(set));
  const { policy, digest } = await policyOf(options.policy, kit);
  const count = Math.min(options.tasks ?? set.size, set.size);
  const out = options.out ?? `runs/${name.replaceAll("/", "-")}-${strategy.name}-s${options.seed}`;
  if (strategy.scored && kit.progress === undefined) {
    throw new InputError(
      `rollout: ${strategy.name} routes by score and ${kit.name} has no scorer; try --strategy tree-random`,
    );
  }
  const config: JsonObject = {
    env: kit.name,
    set: describe(set, options.set),
    seed: options.seed,
    policy: digest,
    strategy: { name: strategy.name, options: strategy.options },
  };
  const folder = await RunFolder.open(out, { kind: "rollout", config });
  const interrupted = abortOnSignal();
  const bar = output.progress(name, count);
  try {
    const summary = await runRollouts(folder, {
      tasks: set,
      count,
      env: kit.make,
      policy,
      strategy,
      seed: options.seed,
      trees: options.trees,
      signal: interrupted.signal,
      ...(strategy.scored && { scorer: kit.progress! }),
      onTree: (_, done) => bar.update(done),
    });
    bar.stop();
    for (const note of folder.notes) output.note(note);
    output.json({ run: out, ...summary });
    for (const line of summaryLines(summary)) output.line(line);
    if (summary.trees < count) {
      output.line(`stopped with ${summary.trees} of ${count} trees in ${out}; the same command goes on`);
      process.exitCode = 130;
    } else output.line(`run: ${out}`);
  } finally {
    bar.stop();
    interrupted.done();
    await folder.close();
  }
}

/** The policy that a word names, and what identifies it in a run's config. */
async function policyOf(
  text: string,
  kit: AnyEnvKit,
): Promise<{ readonly policy: Policy<unknown, unknown, unknown>; readonly digest: string }> {
  if (text === "random") return { policy: random((rng) => kit.randomAction(rng)), digest: "random" };
  if (!text.startsWith("learner:")) {
    throw new InputError(`--policy: expected random or learner:FILE, got "${text}"`);
  }
  if (kit.learning === undefined)
    throw new InputError(`--policy: ${kit.name} has no features for the learner`);
  const file = text.slice("learner:".length);
  const state = await readLearner(file);
  const learner = createLearner<unknown, unknown, unknown>({
    ...kit.learning,
    seed: 0,
    hidden: state.hidden,
  });
  learner.load(state);
  return { policy: learner, digest: `learner:${sha256(canonicalJson(state.parameters))}` };
}

/** Reads weights that `forkgym train` or `forkgym demo` saved. @throws {InputError} */
export async function readLearner(file: string): Promise<LearnerState> {
  try {
    const value = JSON.parse(await readFile(file, "utf8")) as { readonly learner?: LearnerState };
    if (value.learner !== undefined) return value.learner;
  } catch (error) {
    throw new InputError(`--policy: cannot read ${file}: ${messageOf(error)}`);
  }
  throw new InputError(`--policy: ${file} holds no \`learner\`; expected the learner.json of a training run`);
}

/** A task set as it stands in a run's config. */
export function describe(set: TaskSet<unknown>, options: Readonly<Record<string, string>>): JsonObject {
  return { name: set.name, version: set.version, options, digest: set.digest() };
}
