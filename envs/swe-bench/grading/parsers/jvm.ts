import type { LogParser, StatusMap } from "./log-parser.ts";
import { pattern, strip } from "./python-text.ts";

const COMMAND = pattern("^.*-Dtest=(\\S+).*$");
const BUILD = pattern("^.*BUILD (SUCCESS|FAILURE)$");
const OUTCOMES: Readonly<Record<string, string>> = { SUCCESS: "PASSED", FAILURE: "FAILED" };

/**
 * Maven names no test that passes: each is run by a command of its own, which `set -x` prints, and the build's
 * end is its result. v5 pairs commands and ends first come, first served; v4.1 takes the last command printed.
 */
export const maven: LogParser = (log, rules) => {
  const statuses: StatusMap = new Map();
  const waiting: string[] = [];
  const early: string[] = [];
  let latest = "---NO TEST NAME FOUND YET---";
  for (const raw of log.split("\n")) {
    const line = strip(raw);
    const command = COMMAND.exec(line);
    if (command !== null) {
      latest = command[1]!;
      waiting.push(latest);
    }
    const build = BUILD.exec(line);
    if (build === null) continue;
    const outcome = OUTCOMES[build[1]!]!;
    if (rules === "v4.1") statuses.set(latest, outcome);
    else if (waiting.length > 0) statuses.set(waiting.shift()!, outcome);
    else early.push(outcome);
  }
  if (rules === "v4.1") return statuses;
  while (waiting.length > 0 && early.length > 0) statuses.set(waiting.shift()!, early.shift()!);
  return statuses;
};

const WHOLE = pattern("^([^>].+)\\s+(PASSED|FAILED)$");
const NAME = pattern("^([^>]\\S*\\s+>\\s+\\S+)$");

/** `Class > method PASSED`; v5 also where other output stands between the name and its result. */
export const gradle: LogParser = (log, rules) => {
  const statuses: StatusMap = new Map();
  let waiting: string | null = null;
  for (const raw of log.split("\n")) {
    const line = strip(raw);
    const whole = WHOLE.exec(line);
    if (whole !== null) {
      statuses.set(whole[1]!, whole[2]!);
      waiting = null;
    } else if (rules === "v4.1") continue;
    else if (NAME.test(line)) waiting = line;
    else if (waiting !== null && (line === "PASSED" || line === "FAILED")) {
      statuses.set(waiting, line);
      waiting = null;
    }
  }
  return statuses;
};
