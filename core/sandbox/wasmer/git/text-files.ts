import { Fault } from "../tree/fault.ts";
import type { FileTree } from "../tree/file-tree.ts";
import type { Node } from "../tree/node.ts";
import { joined } from "../tree/path.ts";

/** What is at a path, a link itself if it is one; undefined if there is nothing. */
export function nodeAt(tree: FileTree, path: string): Node | undefined {
  try {
    return tree.lstat(path);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Undefined if there is no such file. */
export function readText(tree: FileTree, path: string): string | undefined {
  try {
    return Buffer.from(tree.read(path)).toString();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Makes the folders that are missing. */
export function writeText(tree: FileTree, path: string, text: string): void {
  tree.mkdirs(joined(path, ".."));
  tree.write(path, new Uint8Array(Buffer.from(text)));
}
