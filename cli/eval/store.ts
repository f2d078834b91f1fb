import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import type { Evaluation } from "../../envs/swe-bench/grading/evaluate.ts";
import { classifyInfra, type InfraFailure } from "../../envs/swe-bench/grading/infra.ts";
import { logPaths } from "../../envs/swe-bench/grading/log-layout.ts";
import { pythonJson } from "../../envs/swe-bench/grading/python-json.ts";
import { instanceReport } from "../../envs/swe-bench/grading/report.ts";
import type { RuleSet } from "../../envs/swe-bench/grading/rules.ts";

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

  /** A verdict from before on the very same patch; an outcome without a verdict is tried again. */
  async find(model: string, id: string, patch: string): Promise<Stored | undefined> {
    const paths = logPaths(this.#root, this.#runId, model, id);
    const before = await text(paths.patch);
    const report = await text(paths.report);
    if (before !== patch || report === undefined || !/"resolved": (true|false)/.test(report))
      return undefined;
    return { report, ...infraOf(await text(paths.testOutput), await text(paths.runLog)) };
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
    // Whole or not at all: a report that is there is a verdict.
    await writeFile(`${paths.report}.part`, report);
    await rename(`${paths.report}.part`, paths.report);
    return { report, ...infra };
  }
}

function infraOf(testOutput = "", runLog = ""): { readonly infra?: InfraFailure } {
  const infra = classifyInfra(`${testOutput}\n${runLog}`.replace(/\r\n?/g, "\n"));
  return infra === null ? {} : { infra };
}

function text(path: string): Promise<string | undefined> {
  return readFile(path).then(
    (bytes) => bytes.toString("utf8"),
    () => undefined,
  );
}
