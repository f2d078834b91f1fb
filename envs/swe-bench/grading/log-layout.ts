import { join } from "node:path";

/** Files of one evaluation, as the official harness lays them out. */
export interface LogPaths {
  readonly folder: string;
  readonly patch: string;
  readonly evalScript: string;
  readonly runLog: string;
  readonly testOutput: string;
  readonly report: string;
}

const EVALUATIONS = join("logs", "run_evaluation");

/** Paths under `root` of one evaluation: `logs/run_evaluation/<run>/<model>/<instance>/…`. */
export function logPaths(root: string, runId: string, model: string, instanceId: string): LogPaths {
  return logFiles(join(root, EVALUATIONS, runId, modelFolder(model), instanceId));
}

/** Files of one evaluation, given its folder. */
export function logFiles(folder: string): LogPaths {
  return {
    folder,
    patch: join(folder, "patch.diff"),
    evalScript: join(folder, "eval.sh"),
    runLog: join(folder, "run_instance.log"),
    testOutput: join(folder, "test_output.txt"),
    report: join(folder, "report.json"),
  };
}

/** File name of the run report. */
export function runReportName(model: string, runId: string): string {
  return `${modelFolder(model)}.${runId}.json`;
}

function modelFolder(model: string): string {
  return model.replaceAll("/", "__");
}
