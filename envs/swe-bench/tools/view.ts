import { posix } from "node:path";
import { clipped } from "./clip.ts";
import { gapsOf } from "./condensed.ts";
import { linesOf } from "./edit.ts";
import { AgentMistake } from "./tool.ts";

/** Lines shown before and after what an edit touched. */
const SNIPPET_LINES = 4;

/** Between a line's number, six wide, and its text, in views and in what is shown after an edit. Source: R2E-Gym. */
const VIEW_GAP = " ";
const SNIPPET_GAP = "\t";

/** How an editor shows a file. */
export interface ViewStyle {
  /** A Python file of more lines is condensed unless a range is given. */
  readonly condensedFrom: number;
}

/** What of a file is to be shown. */
export interface ViewRequest {
  readonly path: string;
  readonly text: string;
  readonly range?: string | undefined;
  readonly concise: boolean;
}

/** A file with line numbers: all of it, a range, or, of a Python file, its structure. @throws {AgentMistake} on a bad range. */
export function fileView({ path, text, range, concise }: ViewRequest, style: ViewStyle): string {
  const lines = linesOf(text);
  if (range !== undefined) {
    const [from, to] = rangeOf(range, lines.length);
    const title = `Lines ${from} to ${to} of ${path}, which has ${lines.length}:`;
    return clipped(`${title}\n${numbered(lines.slice(from - 1, to), from, VIEW_GAP)}`);
  }
  if (lines.length === 0) return `${path} is empty.`;
  const isPython = posix.extname(path) === ".py";
  if (isPython && (concise || lines.length > style.condensedFrom)) {
    const condensed = withGaps(lines);
    if (condensed !== undefined) return clipped(`${condensedTitle(path, lines.length)}\n${condensed}`);
  }
  return clipped(`All ${lines.length} lines of ${path}:\n${numbered(lines, 1, VIEW_GAP)}`);
}

function condensedTitle(path: string, count: number): string {
  return `${path}, ${count} lines, condensed: longer bodies of functions are left out. Give \`view_range\` to see them.`;
}

/** The lines without what a condensed view leaves out; undefined if that is nothing. */
function withGaps(lines: readonly string[]): string | undefined {
  const gaps = gapsOf(lines);
  if (gaps.length === 0) return undefined;
  const shown: string[] = [];
  let next = 0;
  for (const { first, last } of gaps) {
    if (first > next) shown.push(numbered(lines.slice(next, first), next + 1, VIEW_GAP));
    shown.push(`       ... lines ${first + 1} to ${last + 1} left out ...`);
    next = last + 1;
  }
  if (next < lines.length) shown.push(numbered(lines.slice(next), next + 1, VIEW_GAP));
  return shown.join("\n");
}

/** The lines around an edit that touched `count` lines from `line` on, as `cat -n` numbers them. */
export function snippet(path: string, text: string, line: number, count: number): string {
  const lines = linesOf(text);
  const from = Math.max(1, Math.min(line, lines.length) - SNIPPET_LINES);
  const part = lines.slice(from - 1, line - 1 + count + SNIPPET_LINES);
  if (part.length === 0) return `${path} is empty now.`;
  return clipped(
    `Lines ${from} to ${from + part.length - 1} of ${path} are now:\n${numbered(part, from, SNIPPET_GAP)}`,
  );
}

function numbered(lines: readonly string[], from: number, gap: string): string {
  return lines.map((line, index) => `${String(from + index).padStart(6)}${gap}${line}`).join("\n");
}

/** `[from, to]`, from 1, both included; a `to` of -1 is the last line. @throws {AgentMistake} */
function rangeOf(range: string, count: number): readonly [from: number, to: number] {
  const parts = /^\s*[[(]?\s*(-?\d{1,9})[\s,]+(-?\d{1,9})\s*[\])]?\s*$/.exec(range);
  if (!parts)
    throw new AgentMistake(
      "`view_range` must be two whole numbers, for example [11, 20]; [11, -1] goes to the end.",
    );
  const [from, to] = [Number(parts[1]), Number(parts[2])];
  if (from < 1 || from > count)
    throw new AgentMistake(`\`view_range\` starts at line ${from}, but the file has ${count} lines.`);
  if (to !== -1 && (to < from || to > count)) {
    throw new AgentMistake(
      `\`view_range\` ends at line ${to}; give a line from ${from} to ${count}, or -1 for the last.`,
    );
  }
  return [from, to === -1 ? count : to];
}
