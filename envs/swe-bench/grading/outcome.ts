import { classifyInfra, type InfraFailure } from "./infra.ts";
import { type Resolution, resolutionOf, type TestsStatus } from "./verdict.ts";

/**
 * Why a log gives no verdict on the tests. "not run": the patch did not apply, or the run says that it timed out
 * or failed. "unreadable": the official parser stops with an error, and its run has no report.
 */
export type Refusal = "not run" | "no markers" | "suite never ran" | "exit code contradicts" | "unreadable";

/** The verdict on one log. */
export interface Grade {
  /** `patch_successfully_applied`: the log could be graded. */
  readonly applied: boolean;
  readonly resolved: boolean;
  readonly resolution: Resolution;
  /** Null where the log could not be graded. */
  readonly testsStatus: TestsStatus | null;
  /** The log shows no result of any test. */
  readonly missing: boolean;
  /** Null where the log could be graded. */
  readonly refusal: Refusal | null;
  /** Of a log that could not be graded: signs that the patch is not to blame. */
  readonly infra: InfraFailure | null;
}

export function graded(testsStatus: TestsStatus, resolution: Resolution = resolutionOf(testsStatus)): Grade {
  return {
    applied: true,
    resolved: resolution === "RESOLVED_FULL",
    resolution,
    testsStatus,
    missing: false,
    refusal: null,
    infra: null,
  };
}

export function refused(refusal: Refusal, log: string): Grade {
  return {
    applied: false,
    resolved: false,
    resolution: "RESOLVED_NO",
    testsStatus: null,
    missing: true,
    refusal,
    infra: classifyInfra(log),
  };
}
