import type { LogParser, StatusMap } from "./log-parser.ts";
import { pattern } from "./python-text.ts";

const SUITE = pattern("^(\\w.+) \\(.+\\)$");
const TEST = pattern("^\\s*([✔✘↩])\\s*(.*)$");
const OUTCOMES: Readonly<Record<string, string>> = { "✔": "PASSED", "✘": "FAILED", "↩": "SKIPPED" };

/** `phpunit --testdox`: a suite's heading, then its tests. A test before any heading is Python's "None > …". */
export const phpunit: LogParser = (log) => {
  const statuses: StatusMap = new Map();
  let suite = "None";
  for (const line of log.split("\n")) {
    const heading = SUITE.exec(line);
    if (heading !== null) {
      suite = heading[1]!;
      continue;
    }
    const test = TEST.exec(line);
    if (test !== null) statuses.set(`${suite} > ${test[2]}`, OUTCOMES[test[1]!]!);
  }
  return statuses;
};
