import { posix } from "node:path";
import type { ToolContext } from "../types.ts";
import { clipped } from "./clip.ts";
import { probe } from "./probe.ts";

const LIST = `cd -- "$1" && find . -maxdepth 2 '(' -type d -o -name '*.py' ')'`;

/**
 * The folders and the Python files in a folder, two levels deep, without hidden names, in an order that does not
 * depend on the disk.
 */
export async function folderView(context: ToolContext, path: string): Promise<string> {
  const names = (await probe(context, LIST, path))
    .split("\n")
    .map((name) => name.replace(/^\.\//, ""))
    .filter((name) => name !== "" && !isHidden(name))
    .sort();
  if (names.length === 0) return `${path} holds no folder and no Python file that is not hidden.`;
  return clipped(
    [
      `Python files and folders in ${path}, two levels deep, without hidden ones:`,
      ...names.map((name) => posix.join(path, name)),
    ].join("\n"),
  );
}

/** Whether a relative path, or a folder on it, starts with a dot. */
export function isHidden(path: string): boolean {
  return path.startsWith(".") || path.includes("/.");
}
