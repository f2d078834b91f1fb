import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { InputError } from "../../core/errors.ts";
import { forEachPooled } from "../../core/pool.ts";
import { type Evaluation, evaluate, isEmptyPatch } from "../../envs/swe-bench/grading/evaluate.ts";
import type { InfraFailure } from "../../envs/swe-bench/grading/infra.ts";
import { runReportName } from "../../envs/swe-bench/grading/log-layout.ts";
import { pythonJson } from "../../envs/swe-bench/grading/python-json.ts";
import { runReport } from "../../envs/swe-bench/grading/report.ts";
import type { RuleSet } from "../../envs/swe-bench/grading/rules.ts";
import type { SweInstance } from "../../envs/swe-bench/instance.ts";
import { readPredictions } from "../../envs/swe-bench/predictions.ts";
import { whyUngradable } from "../../envs/swe-bench/rows/gradable.ts";
import { chosenBy, instancesOf } from "../../envs/swe-bench/rows/set.ts";
import { type Backend, workspacesOf } from "../../envs/swe-bench/settings.ts";
import { abortOnSignal, type Globals, outputOf, whole } from "../command.ts";
import { checkBackend } from "../eval/backend.ts";
import { checkReportNames, runIdOf } from "../eval/run-id.ts";
import { EvalStore, type Stored } from "../eval/store.ts";

interface Options extends Globals {
  readonly dataset: string;
  readonly predictions: string;
  readonly rules: RuleSet;
  readonly workers: number;
  readonly backend: Backend;
  readonly engine: "auto" | "overlay" | "commit";
  readonly workspaces?: string;
  readonly image?: string;
  readonly instances?: string;
  readonly split?: string;
  readonly runId: string;
  readonly out: string;
  readonly timeout: number;
  readonly retries: number;
  readonly network?: boolean;
}

export function evalVerb(program: Command): void {
  program
    .command("eval")
    .description("grade patches on SWE-bench rows, as the official harness does")
    .requiredOption("--dataset <file>", "rows: .parquet, .json or .jsonl, or a folder of such; or swe-mini")
    .option("--split <name>", "only this split: of a folder its files, of rows their field `split`")
    .requiredOption("--predictions <file>", "patches: .json or .jsonl; or gold, or empty")
    .addOption(new Option("--rules <set>", "rules of grading").choices(["v5", "v4.1"]).default("v5"))
    .option("--workers <n>", "evaluations at once", whole(1), 2)
    .addOption(
      new Option("--backend <name>", "where tests run; auto is wasmer for swe-mini, else docker")
        .choices(["auto", "docker", "wasmer"])
        .default("auto"),
    )
    .addOption(
      new Option("--engine <name>", "Docker engine").choices(["auto", "overlay", "commit"]).default("auto"),
    )
    .option("--workspaces <folder>", "repositories that `forkgym prepare` made")
    .option("--image <name>", "Docker image to use instead of the rows' own")
    .option("--instances <ids>", "only these, separated by commas")
    .option(
      "--run-id <id>",
      "name of the run, as of a file; the same again goes on with it",
      runIdOf,
      "forkgym",
    )
    .option("--out <folder>", "where logs/ and the run report go", ".")
    .option("--timeout <seconds>", "for the tests of one instance", whole(1), 1800)
    .option("--retries <n>", "more tries after a sandbox or its daemon failed", whole(0), 4)
    .option("--network", "let the tests reach the network (the official harness does)")
    .action((options: Options, command: Command) => evaluateAll(options, outputOf(command)));
}

async function evaluateAll(options: Options, output: ReturnType<typeof outputOf>): Promise<void> {
  const { dataset, split, rules, workers, runId, out, timeout, retries, instances: ids } = options;
  const all = await instancesOf(dataset, output.note, split);
  const chosen = chosenBy(all, ids?.split(","));
  const predictions = await readPredictions(options.predictions, new Set(all.map(({ id }) => id)), all);
  const asked = chosen.filter(({ id }) => predictions.has(id));
  if (asked.length === 0) throw new InputError("eval: no prediction is for an instance that was asked for");
  const models = new Set([...predictions.values()].map(({ modelName }) => modelName));
  checkReportNames(models, runId);
  await mkdir(out, { recursive: true });
  const store = new EvalStore(out, runId, rules);
  const stored = new Map<string, Stored>();
  const ungradable = new Map<string, string>();
  const pending: SweInstance[] = [];
  for (const instance of asked) {
    const { id } = instance;
    const { modelName, patch } = predictions.get(id)!;
    if (isEmptyPatch(patch)) continue;
    const why = whyUngradable(instance, rules);
    const before = why === undefined ? await store.find(modelName, instance, patch ?? "") : undefined;
    if (why !== undefined) ungradable.set(id, why);
    else if (before !== undefined) stored.set(id, before);
    else pending.push(instance);
  }
  await checkBackend(options.backend, pending);
  const run = `eval-${randomUUID().slice(0, 8)}`;
  const workspaces = workspacesOf({
    ...options,
    network: options.network ?? false,
    run,
    onNote: output.note,
  });
  const interrupted = abortOnSignal();
  const results = new Map<string, Result>();
  const bar = output.progress("eval", asked.length);
  try {
    await forEachPooled(asked, workers, async (instance) => {
      if (interrupted.signal.aborted) return;
      const { modelName, patch } = predictions.get(instance.id)!;
      const before = stored.get(instance.id);
      const why = ungradable.get(instance.id);
      let result: Result;
      if (why !== undefined) result = { words: `cannot be graded: ${why}`, outcome: "ungradable" };
      else if (before !== undefined) result = { ...before, words: `${wordsOf(before)}, from before` };
      else {
        const evaluation = await evaluate(instance, patch, {
          workspaces,
          rules,
          retries,
          timeoutMs: timeout * 1000,
          signal: interrupted.signal,
          onNote: output.note,
        }).catch((error: unknown) => {
          if (interrupted.signal.aborted) return undefined;
          throw error;
        });
        if (evaluation === undefined) return;
        const saved = await store.save(modelName, instance.id, patch ?? "", evaluation);
        result = { ...saved, words: describe(evaluation), outcome: evaluation.outcome };
      }
      results.set(instance.id, result);
      output.line(`${instance.id}  ${result.words}`);
      bar.update(results.size);
    });
  } finally {
    bar.stop();
    interrupted.done();
  }
  if (results.size < asked.length) {
    output.line(`stopped with ${results.size} of ${asked.length}; the same command goes on`);
    process.exitCode = 130;
    return;
  }
  const files: string[] = [];
  for (const model of models) {
    const own = asked.map(({ id }) => id).filter((id) => predictions.get(id)!.modelName === model);
    const facts = {
      ids: chosen.map(({ id }) => id),
      patches: new Map(own.map((id) => [id, predictions.get(id)!.patch] as const)),
      reports: new Map(
        [...results].flatMap(([id, { report }]) => (report === undefined ? [] : [[id, report] as const])),
      ),
      infra: new Map<string, InfraFailure>(
        [...results].flatMap(([id, { infra }]) => (infra === undefined ? [] : [[id, infra] as const])),
      ),
    };
    const report = runReport(facts, rules);
    const file = join(out, runReportName(model, runId));
    await writeFile(file, `${pythonJson(report)}\n`);
    files.push(file);
    output.json(report);
    // The report has all but the first three as errors, as the official one.
    const ended = (outcome: Outcome) => count(results, own, outcome);
    output.line(
      `${model}: ${report.resolved_instances} of ${report.submitted_instances} resolved, ` +
        `${report.unresolved_instances} not, ${ended("empty-patch")} without a patch, ` +
        `${ended("infrastructure")} without a verdict` +
        more(ended("patch-failed"), "with a patch that does not apply") +
        more(ended("ungradable"), "that cannot be graded"),
    );
  }
  for (const file of files) output.line(`report: ${file}`);
  const open = count(results, [...results.keys()], "infrastructure");
  if (open > 0)
    output.note(`eval: ${open} of ${asked.length} without a verdict; the same command tries them again`);
  if (ungradable.size > 0)
    output.note(`eval: ${ungradable.size} of ${asked.length} cannot be graded; put their rows right`);
  if (open + ungradable.size > 0) process.exitCode = 1;
}

/** What one instance came to; no outcome where it is from before. */
interface Result extends Stored {
  readonly words: string;
  readonly outcome?: Outcome;
}

type Outcome = Evaluation["outcome"] | "ungradable";

function count(results: ReadonlyMap<string, Result>, ids: readonly string[], outcome: Outcome): number {
  return ids.filter((id) => results.get(id)?.outcome === outcome).length;
}

function more(count: number, words: string): string {
  return count === 0 ? "" : `, ${count} ${words}`;
}

function describe(evaluation: Evaluation): string {
  if (evaluation.outcome === "empty-patch") return "no patch";
  if (evaluation.outcome === "patch-failed") return "the patch does not apply";
  if (evaluation.outcome === "infrastructure") return `no verdict: ${evaluation.reason}`;
  const { grade, ms } = evaluation;
  const failed = [grade.testsStatus?.FAIL_TO_PASS, grade.testsStatus?.PASS_TO_PASS].flatMap(
    (each) => each?.failure ?? [],
  );
  const why =
    grade.refusal ?? (failed.length > 0 ? `${failed.length} fail: ${failed.slice(0, 3).join(", ")}` : "");
  return `${grade.resolution}${why === "" ? "" : ` (${why})`}  ${(ms / 1000).toFixed(1)} s`;
}

function wordsOf({ report }: Stored): string {
  return /"resolved": true/.test(report ?? "") ? "RESOLVED_FULL" : "not resolved";
}
