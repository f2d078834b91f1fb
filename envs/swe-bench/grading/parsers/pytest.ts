import type { RuleSet } from "../rules.ts";
import { type LogParser, type StatusMap, UnreadableLog } from "./log-parser.ts";
import { before, pattern, words } from "./python-text.ts";

const STATUSES = ["FAILED", "PASSED", "SKIPPED", "ERROR", "XFAIL"];
const COUNT = pattern("^\\[\\d+\\]$");

/** v5: the `SKIPPED [2] path:7: reason` of pytest's summary names no test; `PASSED [100%]` is an expected id. */
function isSkipCount(status: string, name: string, rules: RuleSet): boolean {
  return rules === "v5" && status === "SKIPPED" && COUNT.test(name);
}

/** Lines `STATUS id …` of `pytest -rA`; `rename` gives the id under which the test is expected. */
function summaryLines(log: string, rules: RuleSet, rename: (id: string) => string): StatusMap {
  const statuses: StatusMap = new Map();
  for (const line of log.split("\n")) {
    if (!STATUSES.some((status) => line.startsWith(status))) continue;
    const text = line.startsWith("FAILED") ? line.replaceAll(" - ", " ") : line;
    const [status, name] = words(text);
    if (status === undefined || name === undefined || isSkipCount(status, name, rules)) continue;
    statuses.set(rename(name), status);
  }
  return statuses;
}

export const pytest: LogParser = (log, rules) => summaryLines(log, rules, (id) => id);

/** Matplotlib's ids were recorded under a Python that prints enum members as numbers. */
export const matplotlib: LogParser = (log, rules) =>
  pytest(log.replaceAll("MouseButton.LEFT", "1").replaceAll("MouseButton.RIGHT", "3"), rules, "");

const OPTION = pattern("(.*?)\\[(.*)\\]");

/** Of a parameter that is a path, the last segment only: the rest is where the checkout lay. */
function shortOption(id: string): string {
  const match = OPTION.exec(id);
  if (match === null) return id;
  const [, main, option] = match as unknown as [string, string, string];
  const isPath = option.startsWith("/") && !option.startsWith("//") && !option.includes("*");
  return `${main}[${isPath ? `/${option.slice(option.lastIndexOf("/") + 1)}` : option}]`;
}

export const pytestOptions: LogParser = (log, rules) => summaryLines(log, rules, shortOption);

const COLOUR = pattern("\\[(\\d+)m", "g");
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /[\x01-\x09\x0b-\x1f]/g;

/** Newer and older pytest, in colour or not: the status stands first or last. */
export const pytestV2: LogParser = (log, rules) => {
  const statuses: StatusMap = new Map();
  for (const line of withoutColour(log).split("\n")) {
    if (STATUSES.some((status) => line.startsWith(status))) {
      const [status, ...rest] = words(rules === "v5" ? cutReason(line) : spaceReason(line));
      if (status === undefined || rest.length === 0 || isSkipCount(status, rest[0]!, rules)) continue;
      statuses.set(rules === "v5" ? rest.join(" ") : rest[0]!, status);
    } else if (STATUSES.some((status) => line.endsWith(status))) {
      const tokens = words(line);
      if (tokens.length < 2) continue;
      if (rules === "v5") statuses.set(tokens.slice(0, -1).join(" "), tokens.at(-1)!);
      else statuses.set(tokens[0]!, tokens[1]!);
    }
  }
  return statuses;
};

const TIMING = pattern("FAILED\\s*\\[.*?\\]", "g");

/** SWE-Gym's for pydantic: v4.1's rules, without the "[ 42%]" that may stand between status and id. */
export const pydantic: LogParser = (log) =>
  pytestV2(withoutColour(log).replace(TIMING, "FAILED"), "v4.1", "");

/** Line by line: a colour code may lie across no line end, and "\n" is no control character to take out. */
function withoutColour(log: string): string {
  return log.replace(COLOUR, "").replace(CONTROL, "");
}

function cutReason(line: string): string {
  return line.startsWith("FAILED") ? before(line, " - ") : line;
}

function spaceReason(line: string): string {
  return line.startsWith("FAILED") ? line.replaceAll(" - ", " ") : line;
}

export const seaborn: LogParser = (log, rules) => {
  const statuses: StatusMap = new Map();
  for (const line of log.split("\n")) {
    const tokens = words(line);
    if (rules === "v5" && tokens.length < 2) continue;
    if (line.startsWith("FAILED")) statuses.set(second(tokens, line), "FAILED");
    else if (line.includes(" PASSED ")) {
      if (second(tokens, line) === "PASSED") statuses.set(tokens[0]!, "PASSED");
    } else if (line.startsWith("PASSED")) statuses.set(second(tokens, line), "PASSED");
  }
  return statuses;
};

function second(tokens: readonly string[], line: string): string {
  const token = tokens[1];
  if (token === undefined) throw new UnreadableLog(`grading: no test's name after "${line}"`);
  return token;
}
