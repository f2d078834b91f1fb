import { ForkGymError, InputError, messageOf } from "../../../core/errors.ts";
import type { Sandbox } from "../../../core/sandbox/sandbox.ts";
import type { SweInstance } from "../instance.ts";
import { REPOSITORY, type Workspaces } from "../workspaces/workspaces.ts";
import { applyPatch } from "./apply.ts";
import { gradeLog } from "./grade.ts";
import { classifyInfra, whyNoVerdict } from "./infra.ts";
import { readLog } from "./log.ts";
import type { Grade } from "./outcome.ts";
import type { RuleSet } from "./rules.ts";
import { preparedScript } from "./script.ts";

/** Output of the tests that is kept; more is cut in the middle, and said. */
const OUTPUT_BYTES = 64 * 2 ** 20;

export interface EvaluateOptions {
  readonly workspaces: Workspaces;
  /** @default "v5" */
  readonly rules?: RuleSet;
  /** For the tests, in milliseconds. @default 1_800_000 (the official harness) */
  readonly timeoutMs?: number;
  /** More tries after the sandbox or its daemon failed. @default 4 */
  readonly retries?: number;
  /** Waits before the next try; the n-th is given n from 0. @default 1, 2, 4, 8 ... seconds, at most 30 */
  readonly wait?: (attempt: number) => Promise<void>;
  readonly signal?: AbortSignal;
  /** Told in one line why a try is repeated. */
  readonly onNote?: (line: string) => void;
}

/** What an evaluation left, as the files of the official log folder have it. */
export interface Traces {
  readonly evalScript: string;
  readonly runLog: string;
  readonly testOutput: string;
}

/**
 * How an evaluation ended. `graded` and `patch-failed` are verdicts; `infrastructure` is none: it says nothing of
 * the patch and must not be trained on. An empty patch is never run.
 */
export type Evaluation =
  | { readonly outcome: "empty-patch" }
  | { readonly outcome: "patch-failed"; readonly traces: Traces }
  | { readonly outcome: "graded"; readonly grade: Grade; readonly traces: Traces; readonly ms: number }
  | { readonly outcome: "infrastructure"; readonly reason: string; readonly traces?: Traces };

/** Whether an evaluation shows that the patch resolves its issue; undefined if it shows nothing. */
export function verdictOf(evaluation: Evaluation): boolean | undefined {
  if (evaluation.outcome === "infrastructure") return undefined;
  return evaluation.outcome === "graded" && evaluation.grade.resolved;
}

/** Whether there is nothing to run. */
export function isEmptyPatch(patch: string | null): boolean {
  return patch === null || patch.trim() === "";
}

/**
 * Applies a patch in a fresh sandbox, runs the instance's tests and grades their log. Whatever fails around the patch
 * is tried again, then it is the outcome `infrastructure`; only an abort and bad input throw.
 * @throws {InputError} at once: no eval script, an unknown log parser, no files of the instance, a package that is not
 * installed.
 */
export async function evaluate(
  instance: SweInstance,
  patch: string | null,
  options: EvaluateOptions,
): Promise<Evaluation> {
  const { retries = 4, wait = backOff, signal, onNote = () => {} } = options;
  if (patch === null || isEmptyPatch(patch)) return { outcome: "empty-patch" };
  if (instance.hidden.evalScript === null) {
    throw new InputError(`swe-bench: ${instance.id} has no eval_script; convert the data set to v5 rows`);
  }
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    const evaluation = await once(instance, patch, options).catch((error: unknown): Evaluation => {
      signal?.throwIfAborted();
      if (error instanceof ForkGymError && !(error instanceof InputError)) {
        return { outcome: "infrastructure", reason: messageOf(error) };
      }
      throw error;
    });
    const again = evaluation.outcome === "infrastructure" && evaluation.traces === undefined;
    if (!again || attempt >= retries) return evaluation;
    onNote(`${instance.id}: try ${attempt + 2} of ${retries + 1}, because ${evaluation.reason}`);
    await wait(attempt);
  }
}

function backOff(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(30_000, 1000 * 2 ** attempt)));
}

async function once(instance: SweInstance, patch: string, options: EvaluateOptions): Promise<Evaluation> {
  const { workspaces, signal } = options;
  const sandbox = await workspaces.open(instance, "grading");
  const stop = () => void sandbox.close().catch(() => {});
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await inSandbox(sandbox, instance, patch, options);
  } finally {
    signal?.removeEventListener("abort", stop);
    // A container that is gone already leaves nothing to close, and must not hide why.
    await sandbox.close().catch(() => {});
  }
}

async function inSandbox(
  sandbox: Sandbox,
  instance: SweInstance,
  patch: string,
  { rules = "v5", timeoutMs = 1_800_000 }: EvaluateOptions,
): Promise<Evaluation> {
  const evalScript = preparedScript(instance, rules);
  const applied = await applyPatch(sandbox, patch, rules);
  if (!applied.applied) {
    return { outcome: "patch-failed", traces: { evalScript, runLog: applied.log, testOutput: "" } };
  }
  const diff = async () => {
    const { stdout } = await sandbox.exec("git -c core.fileMode=false diff", {
      cwd: REPOSITORY,
      timeoutMs: 300_000,
    });
    return stdout.text;
  };
  const before = await diff();
  await sandbox.writeFile("/eval.sh", evalScript);
  const run = await sandbox.exec(["/bin/bash", "/eval.sh"], {
    cwd: REPOSITORY,
    merge: true,
    timeoutMs,
    outputBytes: OUTPUT_BYTES,
  });
  const after = run.timedOut ? before : await diff();
  const printed = readLog(run.stdout.bytes);
  const seconds = timeoutMs / 1000;
  const testOutput = run.timedOut ? `${printed}\n\nTimeout error: ${seconds} seconds exceeded.` : printed;
  const runLog = [
    applied.log,
    `Git diff before:\n${before}`,
    `Test runtime: ${(run.ms / 1000).toFixed(2)} seconds`,
    `Git diff after:\n${after}`,
    "",
  ].join("\n");
  const traces = { evalScript, runLog, testOutput };
  const none = (reason: string): Evaluation => ({ outcome: "infrastructure", reason, traces });
  if (run.timedOut) return none(`the tests took longer than ${seconds} s`);
  if (run.stdout.omittedBytes > 0) return none(`the tests printed more than ${OUTPUT_BYTES} bytes`);
  const grade = gradeLog(instance, testOutput, rules);
  if (!grade.resolved) {
    const { missing } = grade;
    const why = whyNoVerdict({ evalScript, testOutput, exitCode: run.exitCode, missing });
    if (why !== undefined) return none(why);
    const cause = missing ? classifyInfra(`${testOutput}\n${runLog}`) : null;
    if (cause?.tier === "environment") return none(cause.reason);
  }
  return { outcome: "graded", grade, traces, ms: run.ms };
}
