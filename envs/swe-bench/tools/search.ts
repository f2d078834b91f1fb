import { posix } from "node:path";
import type { Tool, ToolContext } from "../types.ts";
import { asWritten, clipped } from "./clip.ts";
import { linesOf } from "./edit.ts";
import { isHidden } from "./folder.ts";
import { absolute, kindOf, probe } from "./probe.ts";
import { noFile } from "./text-file.ts";
import { AgentMistake, type Frame, given, required, tool } from "./tool.ts";

/** More files than these are not listed. Source: R2E-Gym's search. */
const MAX_FILES = 100;

/** UTF-16 units that a term may have, so that it fits into an argument. */
const MAX_TERM = 1000;

/** `-I` skips binary files; the shell of the Wasmer backend has no such option, and no need of it. */
const FIND = `cd -- "$2" || exit
if printf x | grep -Iq x 2>/dev/null; then text=-I; else text=; fi
grep -rFc $text --exclude-dir=.git --include='*.py' -e "$1" . | grep -v ':0$'`;

/** The exit code comes last, on a line of its own. */
const GREP = 'grep -n -e "$1" -- "$2"; printf "\\n%s" "$?"';

/**
 * R2E-Gym's search: of a file the lines that match a basic regular expression; of a folder the Python files with how
 * many lines hold a text, which is taken as it is. Hidden files are passed over.
 */
export function search(frame: Frame): Tool {
  return tool(async (args, context) => {
    const term = asWritten(required(args, "search_term"));
    if (term === "" || term.length > MAX_TERM || /[\n\0]/.test(term))
      throw new AgentMistake(`Parameter \`search_term\` must be one line of 1 to ${MAX_TERM} characters.`);
    const path = absolute(context, given(args, "path")?.trim() || ".");
    const { kind } = await kindOf(context, path);
    if (kind === "folder") return { text: await inFolder(context, term, path), exitCode: null };
    if (kind === "file") return { text: await inFile(context, term, path), exitCode: null };
    throw noFile(path, kind);
  }, frame);
}

async function inFile(context: ToolContext, term: string, path: string): Promise<string> {
  const said = await probe(context, GREP, term, path);
  const end = said.lastIndexOf("\n");
  const [lines, exitCode] = [linesOf(said.slice(0, end).trimEnd()), said.slice(end + 1)];
  if (exitCode === "1") return `No line of ${path} matches "${term}".`;
  if (exitCode !== "0") throw new AgentMistake(`grep failed: ${lines.join("\n")}`);
  return clipped([`${lineCount(lines.length)} of ${path} matching "${term}":`, ...lines].join("\n"));
}

async function inFolder(context: ToolContext, term: string, path: string): Promise<string> {
  const files = (await probe(context, FIND, term, path))
    .split("\n")
    .flatMap((line) => {
      const found = /^(?:\.\/)?(.+):(\d+)$/.exec(line);
      return found ? [{ name: found[1]!, count: Number(found[2]) }] : [];
    })
    .filter(({ name }) => !isHidden(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (files.length === 0) return `No Python file in ${path} holds "${term}".`;
  if (files.length > MAX_FILES)
    return `"${term}" is in ${files.length} Python files in ${path}, which is too many to list. Narrow the search.`;
  const total = files.reduce((sum, { count }) => sum + count, 0);
  return clipped(
    [
      `${lineCount(total)} with "${term}" in ${path}:`,
      ...files.map(({ name, count }) => `${posix.join(path, name)} (${lineCount(count)})`),
    ].join("\n"),
  );
}

function lineCount(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}
