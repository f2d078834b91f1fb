/** Where a row comes from; it decides how its image is named and how it is graded. */
export type SweFamily =
  | "swe-bench"
  | "swe-bench-multilingual"
  | "swe-gym"
  | "swe-smith"
  | "swe-rebench"
  | "r2e-gym";

/** How missing tests count: as failures, or, where a log names failures alone, as passed. */
export type EvalType = "pass_and_fail" | "fail_only";

/** One problem of a SWE-bench data set, whatever form its row had. Plain JSON. */
export type SweInstance = {
  /** `instance_id`, for example `sympy__sympy-24562`. */
  readonly id: string;
  readonly family: SweFamily;
  /** `owner/name`. */
  readonly repo: string;
  readonly baseCommit: string;
  /** The text: all that an agent is told. */
  readonly problemStatement: string;
  /** Docker image with the repository at /testbed. */
  readonly image: string;
  /** What grading needs and no agent, dialogue or scorer may read. */
  readonly hidden: SweHidden;
};

export type SweHidden = {
  /** The reference fix as a unified diff; of SWE-smith the reverse of the row's patch, which is the bug. */
  readonly goldPatch: string;
  /** Whether `goldPatch` is to be applied in reverse (SWE-smith). */
  readonly goldReversed: boolean;
  readonly testPatch: string;
  readonly failToPass: readonly string[];
  readonly passToPass: readonly string[];
  /** Bash that applies the test patch and runs the tests between markers; null in classic rows. */
  readonly evalScript: string | null;
  /** For example `parse_log_pytest`. */
  readonly logParser: string;
  readonly evalType: EvalType;
  /** R2E-Gym: the statuses that the tests must have, by name. */
  readonly expectedOutput: Readonly<Record<string, string>> | null;
  readonly hintsText: string;
};
