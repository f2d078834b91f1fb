import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { InputError } from "../../core/errors.ts";
import { RunFolder } from "../../core/run/run-folder.ts";
import { abortOnSignal, distinct, type Globals, outputOf, whole } from "../command.ts";
import { runComparison } from "../compare/compare-run.ts";
import { defaultMethods, methodNames, variantsOf } from "../compare/methods.ts";
import { configOf, frozenLakeRegimes } from "../compare/regimes.ts";

interface Options extends Globals {
  readonly methods: string;
  readonly regimes: string;
  readonly seeds: number;
  readonly updates?: number;
  readonly workers: number;
  readonly out?: string;
}

export function compareVerb(program: Command): void {
  program
    .command("compare")
    .description("train the in-process learner with several methods at equal env steps, and compare them")
    .argument("<env>", "environment: frozen-lake")
    .option("--methods <list>", `some of ${methodNames.join(",")}`, defaultMethods.join(","))
    .option("--regimes <list>", "some of hard,rllm", frozenLakeRegimes.map(({ name }) => name).join(","))
    .option("--seeds <n>", "training runs of each setting", whole(1), 3)
    .option("--updates <n>", "updates of a training run, 4 or more", whole(4))
    .addOption(
      new Option("--workers <n>", "threads")
        .argParser(whole(1))
        .default(availableParallelism(), "one per core"),
    )
    .option("--out <folder>", "run folder; the same again goes on", "runs/compare")
    .action(async (env: string, options: Options, command: Command) => {
      if (env !== "frozen-lake") throw new InputError(`compare: expected frozen-lake, got "${env}"`);
      const output = outputOf(command);
      const regimes = regimesOf(distinct("--regimes", options.regimes.split(",")), options.updates);
      const variants = variantsOf(distinct("--methods", options.methods.split(",")));
      const config = {
        env,
        regimes: Object.fromEntries(regimes.map((regime) => [regime.name, configOf(regime)])),
      };
      const folder = await RunFolder.open(options.out ?? "runs/compare", { kind: "compare", config });
      const interrupted = abortOnSignal();
      try {
        const { seeds, workers } = options;
        const runs = regimes.length * variants.length * seeds;
        output.note(`${runs} training runs on ${workers} threads; ${options.out} keeps what is done`);
        const comparison = await runComparison(folder, {
          regimes,
          variants,
          seeds,
          workers,
          signal: interrupted.signal,
          output,
        });
        for (const note of folder.notes) output.note(note);
        output.json({ run: folder.path, cells: comparison.cells });
        output.line(comparison.report);
        output.line();
        output.line(`run: ${folder.path} (cells.jsonl, ${comparison.files.join(", ")})`);
      } catch (error) {
        if (!interrupted.signal.aborted) throw error;
        output.note(`stopped; the same command goes on with what is in ${folder.path}`);
        process.exitCode = 130;
      } finally {
        interrupted.done();
        await folder.close();
      }
    });
}

function regimesOf(names: readonly string[], updates: number | undefined) {
  return names.map((name) => {
    const regime = frozenLakeRegimes.find((candidate) => candidate.name === name);
    if (regime === undefined) {
      const known = frozenLakeRegimes.map((each) => each.name).join(", ");
      throw new InputError(`--regimes: expected some of ${known}, got "${name}"`);
    }
    return updates === undefined ? regime : { ...regime, updates };
  });
}
