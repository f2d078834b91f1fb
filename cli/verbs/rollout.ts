import type { Command } from "commander";
import { InputError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { runRollouts } from "../../core/run/rollout-run.ts";
import { RunFolder } from "../../core/run/run-folder.ts";
import type { TaskSet } from "../../core/task.ts";
import type { AnyEnvKit } from "../../envs/kit.ts";
import {
  abortOnSignal,
  distinct,
  envOptions,
  type Globals,
  outputOf,
  setOptions,
  whole,
} from "../command.ts";
import { contest, contestTable } from "../contest.ts";
import { configured, setOf } from "../kits.ts";
import { addModelOptions, givenOf, type ModelOptions } from "../models/options.ts";
import { routeNames } from "../models/routes.ts";
import { type NamedPolicy, policyOf } from "../policies.ts";
import { strategyNames, strategyOf } from "../spec.ts";
import { summaryLines } from "../tables.ts";

interface Parsed extends Globals, ModelOptions {
  readonly policy: string;
  readonly strategy?: readonly string[];
  readonly seed: number;
  readonly seeds: number;
  readonly budget?: number;
  readonly tasks?: number;
  readonly from: number;
  readonly trees: number;
  readonly retryIncomplete?: boolean;
  readonly set: Record<string, string>;
  readonly env: Record<string, string>;
  readonly out?: string;
}

interface Options extends Parsed {
  /** The first option of a model that was given. */
  readonly given: string | undefined;
  /** Whether `seeds` was given. */
  readonly isSeedsGiven: boolean;
}

/** Turns of a tree where several strategies are compared: eight episodes of twenty. */
const CONTEST_TURNS = 160;
/** Trees whose first problem is printed; all are counted and recorded. */
const SHOWN_PROBLEMS = 3;

export function rolloutVerb(program: Command): void {
  const verb = program
    .command("rollout")
    .description("roll out a task set and record the trees; with several strategies, compare them")
    .argument("<set>", "task set, for example frozen-lake/rllm-test, swe-mini, swe-bench:rows.jsonl")
    .option(
      "--policy <policy>",
      "random, repair (swe-bench), learner:FILE with the weights that `forkgym train` saved, " +
        `or a model on a server by ${routeNames.join(", ")}`,
      "random",
    )
    .option(
      "--strategy <spec>",
      `${strategyNames.join(", ")}; options as patr:every=4,top=1; several are compared (default: patr)`,
      (spec: string, before: readonly string[] = []) => [...before, spec],
    )
    .option("--seed <n>", "run seed", whole(0), 0)
    .option("--seeds <n>", "how many seeds, from --seed up, where strategies are compared", whole(1), 3)
    .option(
      "--budget <turns>",
      `turns of one tree, all branches together (default: none; ${CONTEST_TURNS} to compare)`,
      whole(1),
    )
    .option("--tasks <n>", "at most n tasks (default: all)", whole(1))
    .option(
      "--from <n>",
      "leaves out the first n tasks: of batches of 64 the second has --from 64 --tasks 64",
      whole(0),
      0,
    )
    .option("--trees <n>", "trees grown at once", whole(1), 4)
    .option("--retry-incomplete", "grow the recorded trees that have a problem again")
    .addOption(setOptions())
    .addOption(envOptions())
    .option(
      "--out <folder>",
      "run folder; the same again resumes (default: runs/<set>-<strategy>-s<seed>, runs/<set>-contest to compare)",
    );
  addModelOptions(verb).action((name: string, parsed: Parsed, command: Command) => {
    const isSeedsGiven = command.getOptionValueSource("seeds") === "cli";
    const options = { ...parsed, given: givenOf(command), isSeedsGiven };
    return rolloutSet(name, options, outputOf(command));
  });
}

async function rolloutSet(
  name: string,
  options: Options,
  output: ReturnType<typeof outputOf>,
): Promise<void> {
  const { kit: plain, set } = await setOf(name, options.set, output.note);
  const kit = configured(plain, options.env);
  const named = await policyOf(kit, { ...options, scaffold: options.env.scaffold }, output.note);
  try {
    await playSet({ name, kit, set, named }, options, output);
  } finally {
    await named.close?.();
  }
}

interface Played {
  readonly name: string;
  readonly kit: AnyEnvKit;
  readonly set: TaskSet<unknown>;
  readonly named: NamedPolicy;
}

async function playSet(
  { name, kit, set, named }: Played,
  options: Options,
  output: ReturnType<typeof outputOf>,
): Promise<void> {
  const { policy, digest, live } = named;
  const strategies = (options.strategy ?? ["patr"]).map((spec) => ({
    spec,
    strategy: strategyOf(spec, kit.checkpointEvery(set)),
  }));
  for (const { strategy } of strategies) {
    if (strategy.scored && kit.progress === undefined) {
      throw new InputError(
        `rollout: ${strategy.name} routes by score and ${kit.name} has no scorer; try --strategy tree-random`,
      );
    }
  }
  const { from } = options;
  if (from > 0 && from >= set.size)
    throw new InputError(`--from: expected less than the ${set.size} tasks of ${set.name}, got ${from}`);
  const count = Math.min(options.tasks ?? set.size, set.size - from);
  const config: JsonObject = {
    env: kit.name,
    ...(Object.keys(options.env).length > 0 && { envOptions: options.env }),
    set: describe(set, options.set),
    policy: digest,
  };
  const label = name.replaceAll(/[^\w.-]+/g, "-");
  if (strategies.length > 1) {
    distinct(
      "--strategy",
      strategies.map(({ spec }) => spec),
    );
    const out = options.out ?? `runs/${label}-contest`;
    return compareStrategies(
      out,
      { name, kit, set, count, from, named, strategies, config },
      options,
      output,
    );
  }
  if (options.isSeedsGiven)
    throw new InputError("--seeds: it is for several strategies, got one; --seed names the seed of its run");
  const { strategy } = strategies[0]!;
  const { seed, budget } = options;
  const out = options.out ?? `runs/${label}-${strategy.name}-s${seed}`;
  const folder = await RunFolder.open(out, {
    kind: "rollout",
    config: {
      ...config,
      seed,
      ...(budget !== undefined && { limits: { treeTurns: budget } }),
      strategy: { name: strategy.name, options: strategy.options },
    },
  });
  const interrupted = abortOnSignal();
  const bar = output.progress(name, count, live && (() => live.words()));
  const problems: string[] = [];
  try {
    const summary = await runRollouts(folder, {
      tasks: set,
      count,
      from,
      env: kit.make,
      policy,
      strategy,
      seed,
      trees: options.trees,
      retryIncomplete: options.retryIncomplete ?? false,
      ...(budget !== undefined && { limits: { treeTurns: budget } }),
      signal: interrupted.signal,
      ...(strategy.scored && { scorer: kit.progress! }),
      onTree: (tree, done) => {
        bar.update(done);
        const [problem] = tree.problems;
        if (problem !== undefined) problems.push(`${tree.task.id}: ${problem}`);
      },
    });
    bar.stop();
    const figures = live?.summary() ?? [];
    const notes = [...folder.notes, ...problems.slice(0, SHOWN_PROBLEMS)].concat(figures);
    for (const note of notes) output.note(note);
    output.json({ run: out, ...summary });
    for (const line of summaryLines(summary)) output.line(line);
    if (summary.trees < count) {
      output.line(`stopped with ${summary.trees} of ${count} trees in ${out}; the same command goes on`);
      process.exitCode = 130;
    } else {
      output.line(`run: ${out}`);
      if (count > 0 && Number.isNaN(summary.success)) nothingRewarded(summary.trees, problems[0], output);
    }
  } finally {
    bar.stop();
    interrupted.done();
    await folder.close();
  }
}

type Parts = Played & Pick<Parameters<typeof contest>[0], "count" | "from" | "strategies" | "config">;

async function compareStrategies(
  out: string,
  { name, set, named: { policy, live }, ...parts }: Parts,
  { seed, seeds: numSeeds, budget = CONTEST_TURNS, trees, retryIncomplete = false }: Options,
  output: ReturnType<typeof outputOf>,
): Promise<void> {
  const seeds = Array.from({ length: numSeeds }, (_, at) => seed + at);
  const interrupted = abortOnSignal();
  const total = parts.count * seeds.length * parts.strategies.length;
  const bar = output.progress(name, total, live && (() => live.words()));
  let done = 0;
  try {
    const standings = await contest({
      ...parts,
      policy,
      tasks: set,
      seeds,
      budget,
      trees,
      retryIncomplete,
      out,
      signal: interrupted.signal,
      onTree: () => bar.update(++done),
      onNote: output.note,
    });
    bar.stop();
    const figures = live?.summary();
    if (figures !== undefined) output.note(figures);
    if (standings === undefined) {
      output.line(`stopped with ${done} of ${total} trees in ${out}; the same command goes on`);
      process.exitCode = 130;
      return;
    }
    output.json({ run: out, tasks: parts.count, seeds, budget, standings });
    output.line(`${parts.count} tasks, ${seeds.length} seeds, at most ${budget} commands a tree`);
    output.line(contestTable(standings));
    const problems = standings.reduce((sum, each) => sum + each.problems, 0);
    if (problems > 0) output.line(`${problems} trees with problems; see ${out}`);
    output.line(`run: ${out}`);
    if (standings.every(({ rewarded }) => rewarded === 0)) {
      const problem = standings.flatMap((each) => each.problem ?? [])[0];
      nothingRewarded(done, problem, output);
    }
  } finally {
    bar.stop();
    interrupted.done();
  }
}

/** A run without a single outcome is no result: one line that says why, and a code of its own. */
function nothingRewarded(
  trees: number,
  problem: string | undefined,
  output: ReturnType<typeof outputOf>,
): void {
  const why =
    problem === undefined
      ? "nothing failed, the strategy dropped them all; choose another --strategy"
      : `the first problem: ${problem}; put right what failed, then run the same command with --retry-incomplete`;
  output.note(`forkgym: rollout: no leaf of ${trees} trees has a reward: ${why}`);
  process.exitCode = 1;
}

/** A task set as it stands in a run's config. */
export function describe(set: TaskSet<unknown>, options: Readonly<Record<string, string>>): JsonObject {
  return { name: set.name, version: set.version, options, digest: set.digest() };
}
