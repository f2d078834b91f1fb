export type { EnvKit, NamedTaskSet } from "../kit.ts";
export { SweBench, type SweBenchOptions } from "./env.ts";
export { createGrader, type Grader, type GraderOptions } from "./grader.ts";
export { type Applied, applyPatch } from "./grading/apply.ts";
export {
  type EvaluateOptions,
  type Evaluation,
  evaluate,
  type Traces,
  verdictOf,
} from "./grading/evaluate.ts";
export { gradeLog } from "./grading/grade.ts";
export type { InfraFailure } from "./grading/infra.ts";
export { readLog } from "./grading/log.ts";
export type { Grade, Refusal } from "./grading/outcome.ts";
export { pythonJson } from "./grading/python-json.ts";
export { instanceReport, type RunFacts, runReport } from "./grading/report.ts";
export { RULE_SETS, type RuleSet } from "./grading/rules.ts";
export type { Resolution, TestLists, TestsStatus } from "./grading/verdict.ts";
export type { EvalType, SweFamily, SweHidden, SweInstance } from "./instance.ts";
export { sweBenchKit, sweNormal } from "./kit.ts";
export { miniInstances, miniRows } from "./mini/index.ts";
export { baseOf, takePatch } from "./patch.ts";
export { type Prediction, readPredictions, writePredictions } from "./predictions.ts";
export { preparedRepository, prepareWorkspace } from "./prepare/index.ts";
export { sweProgress } from "./progress.ts";
export { type ReadResult, type RefusedRow, readInstances } from "./rows/read.ts";
export { loadSet, setOfInstances } from "./rows/set.ts";
export { scaffolds } from "./scaffolds.ts";
export { type Settings, settingsOf, type WorkspaceSettings, workspacesOf } from "./settings.ts";
export type {
  Scaffold,
  SweAction,
  SweObservation,
  Tool,
  ToolContext,
  ToolMemory,
  ToolResult,
} from "./types.ts";
export { type DockerWorkspacesOptions, dockerWorkspaces } from "./workspaces/docker.ts";
export { type WasmerWorkspacesOptions, wasmerWorkspaces } from "./workspaces/wasmer.ts";
export type {
  CommitFacts,
  Purpose,
  Repository,
  RepositoryOf,
  Workspaces,
} from "./workspaces/workspaces.ts";
