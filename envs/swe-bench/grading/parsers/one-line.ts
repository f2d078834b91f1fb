import type { RuleSet } from "../rules.ts";
import type { LogParser, StatusMap } from "./log-parser.ts";
import { pattern, strip } from "./python-text.ts";

interface OneLine {
  /** Matched at the start of the line, white space around it taken off. */
  readonly pattern: string;
  /** The groups that hold the outcome and the name. @default [1, 2] */
  readonly groups?: readonly [outcome: number, name: number];
  readonly outcomes: Readonly<Record<string, string>>;
  readonly rename?: (name: string, outcome: string, rules: RuleSet) => string;
}

/** A runner that says all of a test in one line. */
function oneLine({ pattern: source, groups = [1, 2], outcomes, rename }: OneLine): LogParser {
  const expression = pattern(source);
  return (log, rules) => {
    const statuses: StatusMap = new Map();
    for (const line of log.split("\n")) {
      const match = expression.exec(strip(line));
      if (match === null) continue;
      const [outcome, name] = [match[groups[0]]!, match[groups[1]]!];
      const status = Object.hasOwn(outcomes, outcome) ? outcomes[outcome] : undefined;
      if (status !== undefined) statuses.set(rename?.(name, outcome, rules) ?? name, status);
    }
    return statuses;
  };
}

export const gotest: LogParser = oneLine({
  pattern: "^--- (PASS|FAIL|SKIP): (.+) \\((.+)\\)$",
  outcomes: { PASS: "PASSED", FAIL: "FAILED", SKIP: "SKIPPED" },
});

export const cargo: LogParser = oneLine({
  pattern: "^test\\s+(\\S+)\\s+\\.\\.\\.\\s+(\\w+)$",
  groups: [2, 1],
  outcomes: { ok: "PASSED", FAILED: "FAILED" },
});

const IN_FILE = pattern("\\s+in\\s+\\S+$", "g");

export const redis: LogParser = oneLine({
  pattern: "^\\[(ok|err|skip|ignore)\\]:\\s(.+?)(?:\\s\\((\\d+\\s*m?s)\\))?$",
  outcomes: { ok: "PASSED", err: "FAILED", skip: "SKIPPED", ignore: "SKIPPED" },
  rename: (name, outcome) => (outcome === "err" ? name.replace(IN_FILE, "") : name),
});

export const jq: LogParser = oneLine({
  pattern: "^\\s*(PASS|FAIL):\\s(.+)$",
  outcomes: { PASS: "PASSED", FAIL: "FAILED" },
});

export const micropython: LogParser = oneLine({
  pattern: "^(pass|FAIL|skip)\\s+(.+)$",
  outcomes: { pass: "PASSED", FAIL: "FAILED", skip: "SKIPPED" },
});

export const googletest: LogParser = oneLine({
  pattern: "^.*\\[\\s*(OK|FAILED)\\s*\\]\\s(.*)\\s\\(.*\\)$",
  outcomes: { OK: "PASSED", FAILED: "FAILED" },
});

export const ant: LogParser = oneLine({
  pattern: "^\\s*\\[junit\\]\\s+\\[(PASS|FAIL|ERR)\\]\\s+(.*)$",
  outcomes: { PASS: "PASSED", FAIL: "FAILED", ERR: "FAILED" },
});

export const minitest: LogParser = oneLine({
  pattern: "^(.+)\\. .*=.*(\\.|F|E).*$",
  groups: [2, 1],
  outcomes: { ".": "PASSED", F: "FAILED", E: "FAILED" },
});

export const cucumber: LogParser = oneLine({
  pattern: "^(.*) \\.+(\\.|F)",
  groups: [2, 1],
  outcomes: { ".": "PASSED", F: "FAILED" },
});

export const rubyUnit: LogParser = oneLine({
  pattern: "^\\s*(?:test: )?(.+):\\s+(\\.|E\\b|F\\b|O\\b)",
  groups: [2, 1],
  outcomes: { ".": "PASSED", E: "FAILED", F: "FAILED", O: "SKIPPED" },
});

export const rspec: LogParser = oneLine({
  pattern: "^(.+) - (passed|failed)",
  groups: [2, 1],
  outcomes: { passed: "PASSED", failed: "FAILED" },
});

export const jest: LogParser = oneLine({
  pattern: "^\\s*(✓|✕|○)\\s(.+?)(?:\\s\\((\\d+\\s*m?s)\\))?$",
  outcomes: { "✓": "PASSED", "✕": "FAILED", "○": "SKIPPED" },
  rename: (name, _, rules) => (rules === "v5" ? strip(name) : name),
});

export const jestJson: LogParser = oneLine({
  pattern: "^\\[(PASSED|FAILED)\\]\\s(.+)$",
  outcomes: { PASSED: "PASSED", FAILED: "FAILED" },
});

export const vitest: LogParser = oneLine({
  pattern: "^\\s*(✓|×|↓)\\s(.+?)(?:\\s(\\d+\\s*m?s?|\\[skipped\\]))?$",
  outcomes: { "✓": "PASSED", "×": "FAILED", "↓": "SKIPPED" },
});

export const tap: LogParser = oneLine({
  pattern: "^(ok|not ok) (\\d+) (.+)$",
  groups: [1, 3],
  outcomes: { ok: "PASSED", "not ok": "FAILED" },
});
