import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../../../core/errors.ts";

/** What it takes to find the bug: one changed token near it, one or two far from it, or new code. */
export type Difficulty = "one mutation" | "hard to find" | "needs thought";

/** `task.json` of a task. */
export interface MiniTask {
  readonly base_commit: string;
  readonly difficulty: Difficulty;
  readonly FAIL_TO_PASS: readonly string[];
  readonly PASS_TO_PASS: readonly string[];
}

// Beside this file in the sources and in dist alike.
const TASKS = fileURLToPath(new URL("./tasks/", import.meta.url));

let ids: readonly string[] | undefined;

/** The ids of all tasks, in alphabetical order. */
export function miniIds(): readonly string[] {
  ids ??= readdirSync(TASKS).sort();
  return ids;
}

/** A text file of a task: `issue.md`, `gold.patch`, `test.patch`, `task.json`. */
export function taskText(id: string, name: string): string {
  return readFileSync(join(folderOf(id), name), "utf8");
}

/** The files of a task's repository at its base commit, by path. @throws {InputError} if there is no such task. */
export function miniFiles(id: string): Readonly<Record<string, string>> {
  const root = join(folderOf(id), "repo");
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.endsWith(".pyc") && statSync(join(root, path)).isFile())
    .map((path) => path.replaceAll(sep, "/"))
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

function folderOf(id: string): string {
  if (miniIds().includes(id)) return join(TASKS, id);
  throw new InputError(`swe-mini: expected the id of a task, got ${id}; there are ${miniIds().join(", ")}`);
}
