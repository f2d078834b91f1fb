import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import type { Evaluation } from "../../envs/swe-bench/grading/evaluate.ts";
import { gradeLog } from "../../envs/swe-bench/grading/grade.ts";
import { classifyInfra, type InfraFailure, whyNoVerdict } from "../../envs/swe-bench/grading/infra.ts";
import { readLog } from "../../envs/swe-bench/grading/log.ts";
import { logPaths } from "../../envs/swe-bench/grading/log-layout.ts";
import { pythonJson } from "../../envs/swe-bench/grading/python-json.ts";
import { instanceReport } from "../../envs/swe-bench/grading/report.ts";
import type { RuleSet } from "../../envs/swe-bench/grading/rules.ts";
import { preparedScript } from "../../envs/swe-bench/grading/script.ts";
import type { SweInstance } from "../../envs/swe-bench/instance.ts";

/** What one evaluation came to, as the log folder has it. */
export interface Stored {
  /** Text of report.json; undefined where there is none, which the official tools count as an error. */
  readonly report?: string;
  readonly infra?: InfraFailure;
}

/** The log folder of a run, as the official harness lays it out and reads it. */
export class EvalStore {
  readonly #root: string;
  readonly #runId: string;
  readonly #rules: RuleSet;

  constructor(root: string, runId: string, rules: RuleSet) {
    this.#root = root;
    this.#runId = runId;
    this.#rules = rules;
  }

  /**
   * The verdict of this row and these rules on a run from before of the very same patch and script, with report.json
   * brought up to date. Undefined if there is none: an outcome without a verdict is tried again.
   */
  async find(model: string, instance: SweInstance, patch: string): Promise<Stored | undefined> {
    const paths = logPaths(this.#root, this.#runId, model, instance.id);
    const before = await text(paths.report);
    const script = preparedScript(instance, this.#rules);
    const isSame = (await text(paths.patch)) === patch && (await text(paths.evalScript)) === script;
    if (!isSame || before === undefined || !/"resolved": (true|false)/.test(before)) return undefined;
    const log = await bytes(paths.testOutput);
    if (log === undefined) return undefined;
    const testOutput = readLog(log, instance.family);
    const grade = gradeLog(instance, testOutput, this.#rules);
    const infra = infraOf(testOutput, await text(paths.runLog));
    if (!grade.resolved) {
      const { missing } = grade;
      // A run that has a report was not killed; its exit code is not kept.
      const why = whyNoVerdict({ evalScript: script, testOutput, exitCode: 1, missing });
      if (why !== undefined || (missing && infra.infra?.tier === "environment")) return undefined;
    }
    const report = pythonJson(instanceReport(instance.id, grade, this.#rules));
    if (report !== before) await writeWhole(paths.report, report);
    return { report, ...infra };
  }

  async save(model: string, id: string, patch: string, evaluation: Evaluation): Promise<Stored> {
    if (evaluation.outcome === "empty-patch") return {};
    const paths = logPaths(this.#root, this.#runId, model, id);
    await mkdir(paths.folder, { recursive: true });
    await rm(paths.report, { force: true });
    await writeFile(paths.patch, patch);
    const { traces } = evaluation;
    if (traces === undefined) {
      const reason = evaluation.outcome === "infrastructure" ? evaluation.reason : "";
      await writeFile(paths.runLog, `${reason}\n`);
      return { infra: { reason: "container_unavailable", tier: "environment" } };
    }
    await writeFile(paths.evalScript, traces.evalScript);
    await writeFile(paths.runLog, traces.runLog);
    if (evaluation.outcome !== "patch-failed") await writeFile(paths.testOutput, traces.testOutput);
    const infra = infraOf(traces.testOutput, traces.runLog);
    if (evaluation.outcome !== "graded") return infra;
    const report = pythonJson(instanceReport(id, evaluation.grade, this.#rules));
    await writeWhole(paths.report, report);
    return { report, ...infra };
  }
}

/** Whole or not at all: a report that is there is a verdict. */
async function writeWhole(path: string, report: string): Promise<void> {
  await writeFile(`${path}.part`, report);
  await rename(`${path}.part`, path);
}

function infraOf(testOutput = "", runLog = ""): { readonly infra?: InfraFailure } {
  const infra = classifyInfra(`${testOutput}\n${runLog}`.replace(/\r\n?/g, "\n"));
  return infra === null ? {} : { infra };
}

async function text(path: string): Promise<string | undefined> {
  return (await bytes(path))?.toString("utf8");
}

function bytes(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(() => undefined);
}
