import { InputError } from "../../../core/errors.ts";
import type { Grade } from "./outcome.ts";
import { pythonJson } from "./python-json.ts";
import { instanceReport } from "./report.ts";
import type { RuleSet } from "./rules.ts";

/** How a verdict of ours stands to a report.json. */
export interface Comparison {
  /** What differs, one line each; empty if they agree. */
  readonly differences: readonly string[];
  /** Both follow the same rules, so that everything was compared; else `resolved` alone. */
  readonly whole: boolean;
  /** Our report is the file, byte for byte. */
  readonly identical: boolean;
}

/** What a report.json says of one instance. */
export type ReportEntry = Readonly<Record<string, unknown>>;

/** @throws {InputError} if the text is no report.json of the instance. */
export function readReport(text: string, id: string): ReportEntry {
  let entry: unknown;
  try {
    entry = (JSON.parse(text) as Record<string, unknown> | null)?.[id];
  } catch (error) {
    throw new InputError(`grading: report.json of ${id} is no JSON: ${(error as Error).message}`);
  }
  if (typeof entry === "object" && entry !== null) return entry as ReportEntry;
  throw new InputError(`grading: report.json says nothing of ${id}`);
}

/** The rules that a report was written by: those of v5 name infrastructure failures. */
export function rulesOf(report: ReportEntry): RuleSet {
  return "infra_failure" in report ? "v5" : "v4.1";
}

/** @param grade null where there was no patch (`model_patch` null). */
export function compareReport(text: string, id: string, grade: Grade | null, rules: RuleSet): Comparison {
  const theirs = readReport(text, id);
  const report = instanceReport(id, grade, rules);
  const ours = report[id] as ReportEntry;
  const whole = rulesOf(theirs) === rules;
  const keys = whole ? [...new Set([...Object.keys(ours), ...Object.keys(theirs)])] : ["resolved"];
  return {
    differences: keys.flatMap((key) => differences(key, ours[key], theirs[key])),
    whole,
    identical: pythonJson(report) === text,
  };
}

function differences(path: string, ours: unknown, theirs: unknown): string[] {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    const at = ours.findIndex((id, index) => id !== theirs[index]);
    if (at < 0 && ours.length === theirs.length) return [];
    const first = at < 0 ? ours.length : at;
    const words = (list: readonly unknown[]) => (first < list.length ? shown(list[first]) : "the end");
    return [
      `${path}: ${ours.length} ids here, ${theirs.length} in report.json; ` +
        `the first difference is number ${first + 1}: ${words(ours)} here, ${words(theirs)} there`,
    ];
  }
  if (isObject(ours) && isObject(theirs)) {
    const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
    return keys.flatMap((key) => differences(`${path}.${key}`, ours[key], theirs[key]));
  }
  return ours === theirs ? [] : [`${path}: ${shown(ours)} here, ${shown(theirs)} in report.json`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
