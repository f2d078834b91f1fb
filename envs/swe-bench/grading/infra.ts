import { pattern } from "./parsers/python-text.ts";

/** Why a run may have failed through no fault of the patch. Advice: it changes no verdict. */
export interface InfraFailure {
  readonly reason: string;
  /** "environment" cannot come of a patch to the repository; "ambiguous" can. */
  readonly tier: "environment" | "ambiguous";
}

const SIGNATURES = (
  [
    ["browser_launch_failed", "environment", "Failed to launch|Failed to connect to the bus"],
    ["display_unavailable", "environment", "cannot open display|Missing X server|unable to open X display"],
    ["out_of_memory", "environment", "Cannot allocate memory|OutOfMemoryError|^Killed$"],
    [
      "container_unavailable",
      "environment",
      "Error response from daemon|Cannot connect to the Docker daemon",
    ],
    ["network_unreachable", "environment", "Could not resolve host|Temporary failure in name resolution"],
    ["missing_module", "ambiguous", "Cannot find module|MODULE_NOT_FOUND|ModuleNotFoundError"],
    ["no_tests_collected", "ambiguous", "no tests ran|collected 0 items"],
    ["tests_timed_out", "ambiguous", "Timeout error: \\d+ seconds exceeded"],
  ] as const
).map(([reason, tier, source]) => ({ reason, tier, expression: pattern(source, "m") }));

/**
 * The first signature of a broken environment in a log, or null (SWE-bench v5, issue #586). For an instance's
 * report `text` is test_output.txt; for the run report that and run_instance.log, joined by "\n".
 */
export function classifyInfra(text: string): InfraFailure | null {
  for (const { reason, tier, expression } of SIGNATURES) if (expression.test(text)) return { reason, tier };
  return null;
}
