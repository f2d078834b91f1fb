import { END, START } from "./markers.ts";
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

const STARVED =
  "(?:No space left on device|Disk quota exceeded|Out of diskspace|Cannot allocate memory|Out of memory, malloc failed)";
/** How git, patch and shells begin a message; what stands in the files that they show begins otherwise. */
const OF_A_TOOL = new RegExp(`^(?:fatal|error|patch|bash|sh|cp|/\\S+): .*${STARVED}`, "im");
const OF_ANY = new RegExp(STARVED);
/** A shell's word on a command of its script that was killed. */
const KILLED = /: line \d+: +\d+ Killed\b/;

/** Whether git, patch or a shell says that it ran out of disk or memory. */
export function toolStarved(output: string): boolean {
  return OF_A_TOOL.test(output);
}

/** A run of the tests that did not resolve the issue. */
export interface FailedRun {
  readonly evalScript: string;
  readonly testOutput: string;
  readonly exitCode: number;
  /** Whether the log shows no result of any test. */
  readonly missing: boolean;
}

/**
 * Why such a run says nothing of the patch, in words; undefined if it does. It was stopped before the end that its
 * script has, it ran out of disk or memory before the tests, or it did so and no test has a result. A script that
 * stops itself (`set -e`, with an exit code from 1 to 127) has said something.
 */
export function whyNoVerdict({ evalScript, testOutput, exitCode, missing }: FailedRun): string | undefined {
  if (exitCode === 137) return "the tests were killed";
  if (testOutput.trim() === "") return `the tests printed nothing (exit code ${exitCode})`;
  const isCut = evalScript.includes(END) && !testOutput.includes(END);
  if (isCut && exitCode >= 128) return `the tests were stopped before their end (exit code ${exitCode})`;
  if (isCut && exitCode === 0) return "the log of the tests is cut before their end";
  const setup = evalScript.includes(START) ? testOutput.split(START, 1)[0]! : "";
  if (toolStarved(setup) || (missing && OF_ANY.test(testOutput))) return "no disk or memory left";
  return missing && KILLED.test(testOutput) ? "the tests were killed" : undefined;
}
