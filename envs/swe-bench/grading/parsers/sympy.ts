import type { LogParser, StatusMap } from "./log-parser.ts";
import { strip, words } from "./python-text.ts";

const RESULTS = [
  [" E", "ERROR"],
  [" F", "FAILED"],
  [" ok", "PASSED"],
] as const;

/** SymPy's own runner: `test_x ok` lines, and `____ path.py:test_x ____` headings over what failed. */
export const sympy: LogParser = (log) => {
  const statuses: StatusMap = new Map();
  const lines = log.split("\n");
  for (const line of lines) {
    const name = heading(line);
    if (name !== undefined) statuses.set(name, "FAILED");
  }
  for (const raw of lines) {
    const line = strip(raw);
    if (!line.startsWith("test_")) continue;
    for (const [end, status] of RESULTS) if (line.endsWith(end)) statuses.set(words(line)[0]!, status);
  }
  return statuses;
};

/** What `(_*) (.*)\.py:(.*) (_*)` finds in a line, in one pass: from the first space to the last one. */
function heading(line: string): string | undefined {
  const [from, to] = [line.indexOf(" "), line.lastIndexOf(" ")];
  const at = line.lastIndexOf(".py:", to - 4);
  return at > from && from >= 0 ? line.slice(from + 1, to) : undefined;
}
