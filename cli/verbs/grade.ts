import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { InputError, messageOf } from "../../core/errors.ts";
import { type Comparison, compareReport, readReport, rulesOf } from "../../envs/swe-bench/grading/compare.ts";
import { type Grade, gradeLog } from "../../envs/swe-bench/grading/grade.ts";
import { readLog } from "../../envs/swe-bench/grading/log.ts";
import { logFiles } from "../../envs/swe-bench/grading/log-layout.ts";
import { RULE_SETS, type RuleSet } from "../../envs/swe-bench/grading/rules.ts";
import type { SweInstance } from "../../envs/swe-bench/instance.ts";
import { instancesOf } from "../../envs/swe-bench/rows/set.ts";
import { type Globals, outputOf } from "../command.ts";

interface Options extends Globals {
  readonly dataset: string;
  readonly split?: string;
  readonly rules?: RuleSet;
  readonly row?: string;
}

/** A log that is to be graded. */
interface Work {
  readonly id: string;
  readonly log: string;
  /** The report.json beside it, if the log has its name in the layout. */
  readonly report: string | null;
}

/** One log graded, and compared where a report.json lies beside it. */
interface Outcome {
  readonly id: string;
  readonly log: string;
  readonly rules: RuleSet;
  /** Null where there was no patch. */
  readonly grade: Grade | null;
  readonly comparison: Comparison | null;
}

interface Problem {
  readonly id: string;
  readonly log: string;
  readonly problem: string;
}

export function gradeVerb(program: Command): void {
  program
    .command("grade")
    .description("grade logs of SWE-bench tests, and compare with the report.json beside them")
    .argument("<log>", "test_output.txt; or a folder with instance folders at any depth")
    .requiredOption("--dataset <file>", "rows: .parquet, .json or .jsonl, or a folder of such; or swe-mini")
    .option("--split <name>", "only this split: of a folder its files, of rows their field `split`")
    .addOption(
      new Option(
        "--rules <set>",
        "rules of grading; by default those of the report.json, v5 if there is none",
      ).choices(RULE_SETS),
    )
    .option("--row <id>", "instance of a single log; by default the name of its folder")
    .action(async (path: string, options: Options, command: Command) => {
      const output = outputOf(command);
      const instances = await instancesOf(options.dataset, output.note, options.split);
      const rows = new Map(instances.map((instance) => [instance.id, instance]));
      const work = await worksIn(path, options.row);
      const bar = output.progress("grade", work.length);
      const outcomes: Outcome[] = [];
      const problems: Problem[] = [];
      for (const [at, { id, log, report }] of work.entries()) {
        try {
          outcomes.push(await outcomeOf({ id, log, report }, rows.get(id), options.rules));
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          problems.push({ id, log, problem: messageOf(error) });
        }
        bar.update(at + 1);
      }
      bar.stop();
      const compared = outcomes.filter(({ comparison }) => comparison !== null);
      const agreeing = compared.filter(({ comparison }) => comparison!.differences.length === 0);
      output.json({
        outcomes,
        problems,
        numCompared: compared.length + problems.length,
        numAgreeing: agreeing.length,
      });
      for (const outcome of outcomes) for (const line of lines(outcome)) output.line(line);
      for (const { id, problem } of problems) output.line(`${id}: not graded: ${problem}`);
      if (compared.length + problems.length > 0) {
        for (const line of whatWasCompared(compared)) output.line(line);
        output.line(`${agreeing.length} of ${compared.length + problems.length} agree`);
      }
      if (problems.length > 0 || agreeing.length < compared.length) process.exitCode = 1;
    });
}

/** One log, or every instance folder below, in the order of their paths. */
async function worksIn(path: string, row: string | undefined): Promise<Work[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    (error: unknown) => {
      throw new InputError(`grade: cannot read ${path} (${messageOf(error)})`);
    },
  );
  if (!isFolder) {
    const folder = dirname(resolve(path));
    const files = logFiles(folder);
    const id = row ?? basename(folder);
    return [{ id, log: path, report: resolve(path) === files.testOutput ? files.report : null }];
  }
  const found = await instanceFolders(path);
  if (found.length === 0) {
    throw new InputError(`grade: no test_output.txt and no report.json under ${path}`);
  }
  if (row !== undefined && found.length > 1) {
    throw new InputError(`grade: --row is for one log, and ${path} holds ${found.length}`);
  }
  return found.map((folder) => {
    const { testOutput, report } = logFiles(folder);
    return { id: row ?? basename(resolve(folder)), log: testOutput, report };
  });
}

async function instanceFolders(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const { testOutput, report } = logFiles(path);
  const names = [basename(testOutput), basename(report)];
  const own = entries.some((entry) => entry.isFile() && names.includes(entry.name)) ? [path] : [];
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const below = await Promise.all(folders.sort().map((name) => instanceFolders(join(path, name))));
  return [...own, ...below.flat()];
}

/** @throws {InputError} if there is no verdict to be had: no row, no log, an unknown parser. */
async function outcomeOf(
  { id, log, report }: Work,
  instance: SweInstance | undefined,
  asked: RuleSet | undefined,
): Promise<Outcome> {
  if (instance === undefined) throw new InputError("the data set has no row of this id");
  const text = report === null ? null : await readFile(report, "utf8").catch(() => null);
  const theirs = text === null ? null : readReport(text, id);
  const rules = asked ?? (theirs === null ? "v5" : rulesOf(theirs));
  const grade = theirs?.patch_is_None === true ? null : await gradeOf(log, instance, rules);
  const comparison = text === null ? null : compareReport(text, id, grade, rules);
  return { id, log, rules, grade, comparison };
}

async function gradeOf(log: string, instance: SweInstance, rules: RuleSet): Promise<Grade> {
  const bytes = await readFile(log).catch((error: unknown) => {
    throw new InputError(`cannot read ${log} (${messageOf(error)})`);
  });
  return gradeLog(instance, readLog(bytes, instance.family), rules);
}

function lines({ id, rules, grade, comparison }: Outcome): string[] {
  const differences = comparison?.differences ?? [];
  const agreement = comparison === null ? "no report.json" : differences.length === 0 ? "agrees" : "DIFFERS";
  return [`${id}: ${words(grade)}; ${rules}, ${agreement}`, ...differences.map((each) => `  ${each}`)];
}

function words(grade: Grade | null): string {
  if (grade === null) return "no patch";
  if (grade.testsStatus === null) {
    const cause = grade.infra === null ? "" : `, maybe by ${grade.infra.reason}`;
    return `not graded, ${grade.refusal}${cause}`;
  }
  const { FAIL_TO_PASS, PASS_TO_PASS } = grade.testsStatus;
  const share = ({ success, failure }: typeof FAIL_TO_PASS) =>
    `${success.length}/${success.length + failure.length}`;
  return `${grade.resolution}, fail-to-pass ${share(FAIL_TO_PASS)}, pass-to-pass ${share(PASS_TO_PASS)}`;
}

function whatWasCompared(compared: readonly Outcome[]): string[] {
  const whole = compared.filter(({ comparison }) => comparison!.whole);
  const identical = whole.filter(({ comparison }) => comparison!.identical);
  const other = compared.length - whole.length;
  return [
    ...(whole.length === 0
      ? []
      : [`compared whole: ${whole.length}, of them ${identical.length} byte for byte as report.json is`]),
    ...(other === 0 ? [] : [`compared in \`resolved\`, their report being by other rules: ${other}`]),
  ];
}
