import { type LogParser, type StatusMap, UnreadableLog } from "./log-parser.ts";
import { pattern } from "./python-text.ts";

const LINE = pattern("^(\\s*)?([✔✖])?\\s(.*)$");

/** Karma's tree of suites, by indent; ids are "suite > suite > test". */
export const karma: LogParser = (log) => {
  const statuses: StatusMap = new Map();
  const suites: string[] = [];
  let [indent, started] = [-1, false];
  for (const line of log.split("\n")) {
    if (line.startsWith("SUMMARY:")) return statuses;
    if (line.includes("Starting browser")) {
      started = true;
      continue;
    }
    const match = started ? LINE.exec(line) : null;
    if (match === null) continue;
    const [, space = "", mark, name] = match;
    if (space !== "" && mark === undefined) {
      const width = space.length;
      if (width > indent) suites.push(name!);
      else if (width < indent && suites.pop() === undefined) {
        throw new UnreadableLog(`grading: a suite ends that never began, at "${line}"`);
      }
      indent = width;
    } else if (mark !== undefined) {
      statuses.set([...suites, name].join(" > "), mark === "✔" ? "PASSED" : "FAILED");
    }
  }
  return statuses;
};
