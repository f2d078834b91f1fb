import { InputError } from "../../../core/errors.ts";
import { filled, isRow, object, type Row, shown, text } from "./fields.ts";

/** R2E-Gym's rows have no id: it is made of repository and commit. */
export function r2eId(row: Row): string {
  return `${filled(row, "repo_name")}__${filled(row, "commit_hash")}`;
}

/** The issue is what stands between [ISSUE] and [/ISSUE], or all of it. */
export function r2eIssue(row: Row): string {
  const whole = text(row, "problem_statement");
  return /\[ISSUE\]([\s\S]*)\[\/ISSUE\]/.exec(whole)?.[1]?.trim() ?? whole;
}

/** Statuses by test name, as the row has them. */
export function r2eExpected(row: Row): Readonly<Record<string, string>> {
  const map = object(row, "expected_output_json") ?? {};
  if (Object.keys(map).length === 0)
    throw new InputError("expected_output_json: expected a status for at least one test, got none");
  for (const [name, status] of Object.entries(map)) {
    if (typeof status !== "string")
      throw new InputError(
        `expected_output_json: expected the status of ${name} to be text, got ${shown(status)}`,
      );
  }
  return map as Readonly<Record<string, string>>;
}

/** The commit that the image's repository is at: `commit_hash` is the one that holds the fix. */
export function r2eBase(row: Row): string {
  const old = commitOf(row)?.old_commit_hash;
  return typeof old === "string" && old !== "" ? old : `${filled(row, "commit_hash")}~1`;
}

/** The fix without its tests, written out of the parsed commit; "" where it is not there, damaged or binary. */
export function r2eGold(row: Row): string {
  const diffs = commitOf(row)?.file_diffs;
  if (!Array.isArray(diffs)) return "";
  const patches = diffs.map((diff) => (isTest(diff) ? "" : fileDiff(diff)));
  return patches.includes(undefined) ? "" : patches.join("");
}

function commitOf(row: Row): Row | undefined {
  try {
    return object(row, "parsed_commit_content");
  } catch {
    return undefined; // It serves the reference patch alone, without which a row can be used.
  }
}

function isTest(diff: unknown): boolean {
  const path = pathOf(isRow(diff) ? diff.header : undefined) ?? "";
  const parts = path.split("/");
  const name = parts.at(-1) ?? "";
  return (
    name.startsWith("test_") ||
    name.endsWith("_test.py") ||
    parts.some((part) => ["test", "tests", "Test", "Tests"].includes(part))
  );
}

/** One file of R2E-Gym's commit model (commit_models/diff_classes.py) as a git diff; undefined if it cannot be. */
function fileDiff(diff: unknown): string | undefined {
  if (!isRow(diff) || diff.is_binary_file === true) return undefined;
  const path = pathOf(diff.header);
  if (path === undefined || !isRow(diff.header) || !Array.isArray(diff.hunks)) return undefined;
  const lines = [`diff --git a/${path} b/${path}`];
  if (typeof diff.header.misc_line === "string" && diff.header.misc_line !== "")
    lines.push(diff.header.misc_line);
  const from = minusPlus(diff.minus_file);
  const to = minusPlus(diff.plus_file);
  if (diff.hunks.length > 0) {
    if (from === undefined || to === undefined) return undefined;
    lines.push(`--- ${from}`, `+++ ${to}`);
  }
  for (const hunk of diff.hunks) {
    const written = hunkLines(hunk);
    if (written === undefined) return undefined;
    lines.push(...written);
  }
  return `${lines.join("\n")}\n`;
}

function pathOf(header: unknown): string | undefined {
  return isRow(header) && isRow(header.file) && typeof header.file.path === "string"
    ? header.file.path
    : undefined;
}

function minusPlus(file: unknown): string | undefined {
  return isRow(file) && typeof file.path === "string" ? file.path : undefined;
}

const MARKS: Readonly<Record<string, string>> = { context: " ", added: "+", deleted: "-", note: "\\ " };

function hunkLines(hunk: unknown): readonly string[] | undefined {
  if (!isRow(hunk) || !isRow(hunk.descriptor) || !isRow(hunk.line_group)) return undefined;
  const { old_range, new_range, section } = hunk.descriptor;
  const [before, after] = [range(old_range), range(new_range)];
  const lines: unknown = hunk.line_group.all_lines;
  if (before === undefined || after === undefined || !Array.isArray(lines)) return undefined;
  const out = [
    `@@ -${before} +${after} @@${typeof section === "string" && section !== "" ? ` ${section}` : ""}`,
  ];
  for (const line of lines) {
    const mark = isRow(line) && typeof line.content === "string" ? MARKS[String(line.type)] : undefined;
    if (mark === undefined) return undefined;
    out.push(mark + line.content);
  }
  return out;
}

function range(value: unknown): string | undefined {
  if (!isRow(value) || !Number.isInteger(Number(value.start))) return undefined;
  return value.length === null || value.length === undefined
    ? `${value.start}`
    : `${value.start},${value.length}`;
}
