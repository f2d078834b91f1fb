import type { EvalType, SweInstance } from "../instance.ts";
import { END, EXIT_CODE, PATCH_FAILED, START, TIMED_OUT } from "./markers.ts";
import { type Grade, graded, type Refusal, refused } from "./outcome.ts";
import { parserOf, type StatusMap, UnreadableLog } from "./parsers/index.ts";
import { pattern } from "./parsers/python-text.ts";
import { gradeR2e } from "./r2e-gym.ts";
import type { RuleSet } from "./rules.ts";
import { gradeSmith } from "./swe-smith.ts";
import { testsStatus } from "./verdict.ts";

const BAD_CODES = [PATCH_FAILED, ">>>>> Reset Failed", ">>>>> Tests Errored", TIMED_OUT];

/** Signs that a runner ran at least one test, where its log names failures only. */
const SUITE_RAN = pattern(
  [
    "Executed [1-9]\\d* of \\d+",
    "TOTAL: [1-9]\\d* (?:SUCCESS|FAILED)",
    "[1-9]\\d* passing",
    "Tests:\\s+[1-9]\\d*",
    "Test Suites:\\s+(?:\\d+ \\w+, )*[1-9]\\d* total",
    "^# tests [1-9]\\d*",
    "[1-9]\\d* specs?, \\d+ failures?",
    "': ok$",
  ].join("|"),
  "m",
);
const RECORDED_EXIT = pattern(`${EXIT_CODE}:\\s*(-?\\d+)`);

/** Repositories whose logs name failures only; v5 has it in the row. */
const FAIL_ONLY_V41 = ["chartjs/Chart.js", "processing/p5.js", "markedjs/marked"];

/**
 * The verdict on a log, which is `test_output.txt` as `readLog` reads it, by the rules of the instance's family:
 * SWE-bench's (harness/grading.py at v4.1.0 and at 5.0.2), R2E-Gym's or SWE-smith's.
 *
 * @throws {InputError} if the row names an unknown parser.
 */
export function gradeLog(instance: SweInstance, log: string, rules: RuleSet): Grade {
  if (instance.family === "r2e-gym") return gradeR2e(instance, log);
  if (instance.family === "swe-smith") return gradeSmith(instance, log);
  const statuses = readStatuses(instance, log, rules);
  if (typeof statuses === "string") return refused(statuses, log);
  const status = testsStatus(instance.hidden, statuses, rules, evalTypeOf(instance, rules));
  return { ...graded(status), missing: statuses.size === 0 };
}

export type { Grade } from "./outcome.ts";

function evalTypeOf(instance: SweInstance, rules: RuleSet): EvalType {
  if (rules === "v5") return instance.hidden.evalType;
  return FAIL_ONLY_V41.includes(instance.repo) ? "fail_only" : "pass_and_fail";
}

/** What the log says of each test; or why it says nothing. */
function readStatuses(instance: SweInstance, log: string, rules: RuleSet): StatusMap | Refusal {
  const parse = parserOf(instance.hidden.logParser);
  if (BAD_CODES.some((code) => log.includes(code))) return "not run";
  if (!log.includes(START) || !log.includes(END)) return "no markers";
  const slice = log.split(START)[1]!.split(END)[0]!;
  let statuses: StatusMap;
  try {
    statuses = parse(slice, rules, instance.id);
    if (statuses.size === 0) statuses = parse(log, rules, instance.id);
  } catch (error) {
    if (error instanceof UnreadableLog) return "unreadable";
    throw error;
  }
  if (rules === "v4.1") return statuses;
  if (statuses.size === 0 && !SUITE_RAN.test(log)) return "suite never ran";
  return contradicts(log, statuses) ? "exit code contradicts" : statuses;
}

/** The test command failed and no test did: what the log shows is not what happened. */
function contradicts(log: string, statuses: StatusMap): boolean {
  const exit = RECORDED_EXIT.exec(log)?.[1];
  if (exit === undefined || Number(exit) === 0 || statuses.size === 0) return false;
  return ![...statuses.values()].some((status) => status === "FAILED" || status === "ERROR");
}
