import type { SweInstance } from "../instance.ts";
import { END, PATCH_FAILED, START, TIMED_OUT } from "./markers.ts";
import { type Grade, graded, refused } from "./outcome.ts";
import { parserOf, type StatusMap, UnreadableLog } from "./parsers/index.ts";
import { pattern } from "./parsers/python-text.ts";
import { testsStatus } from "./verdict.ts";

const LINE = pattern("^(\\S+)\\s+(FAILED|PASSED|SKIPPED|ERROR|XFAIL)");

/**
 * SWE-smith's verdict (swesmith/harness/grading.py): results are read between the lines with which `set -x`
 * shows the markers. A test that is not in the log is a failure, as since SWE-smith's pull request #95.
 */
export function gradeSmith(instance: SweInstance, log: string): Grade {
  if (log.includes(PATCH_FAILED) || log.includes(TIMED_OUT)) {
    return refused("not run", log);
  }
  if (!log.includes(START) || !log.includes(END)) return refused("no markers", log);
  const [from, to] = [log.indexOf(`+ : '${START}'`), log.indexOf(`+ : '${END}'`)];
  if (from < 0 || to < from) return refused("unreadable", log);
  const slice = log.slice(from + `+ : '${START}'`.length, to);
  try {
    const statuses = parserFor(instance)(slice);
    const status = testsStatus(instance.hidden, statuses, "v4.1", "pass_and_fail");
    return { ...graded(status), missing: statuses.size === 0 };
  } catch (error) {
    if (error instanceof UnreadableLog) return refused("unreadable", log);
    throw error;
  }
}

/** Its pytest prints `id STATUS`, so its parser of these names is another than SWE-bench's. */
export const SMITH_PYTEST: readonly string[] = ["parse_log_swesmith", "parse_log_pytest"];

function parserFor(instance: SweInstance): (log: string) => StatusMap {
  const { logParser } = instance.hidden;
  if (SMITH_PYTEST.includes(logParser)) return smithPytest;
  const parse = parserOf(logParser);
  return (log) => parse(log, "v4.1", instance.id);
}

function smithPytest(log: string): StatusMap {
  const statuses: StatusMap = new Map();
  for (const line of log.split("\n")) {
    const match = LINE.exec(line);
    if (match !== null) statuses.set(match[1]!, match[2]!);
  }
  return statuses;
}
