import { Fault } from "./fault.ts";
import type { FolderNode, Node } from "./node.ts";
import { namesOf } from "./path.ts";

const MAX_LINKS = 40;

/** Where a path leads. */
export interface Place {
  /** The real folders from the root down to the one that holds it. */
  readonly folders: readonly FolderNode[];
  /** Their names, the root's left out, and then its own; none if it is the root. */
  readonly names: readonly string[];
  /** Absent if nothing is there although its folder is. */
  readonly node?: Node;
}

/**
 * Follows a path as a kernel does, the last name too if `follow`. Names that lead out of the root stay in it.
 * @throws {Fault} ENOENT if a folder on the way is missing, ENOTDIR, ELOOP.
 */
export function walk(root: FolderNode, path: string, follow: boolean): Place {
  const folders: FolderNode[] = [root];
  const names: string[] = [];
  const rest = namesOf(path).reverse();
  const wantsFolder = /\/\.?$/.test(path);
  let numLinks = 0;
  while (rest.length > 0) {
    const name = rest.pop()!;
    if (name === "..") {
      names.pop();
      if (folders.length > 1) folders.pop();
      continue;
    }
    const node = folders.at(-1)!.entries.get(name);
    const last = rest.length === 0;
    if (node?.kind === "link" && (!last || follow || wantsFolder)) {
      if (++numLinks > MAX_LINKS) throw new Fault("ELOOP", path);
      if (node.target.startsWith("/")) {
        folders.length = 1;
        names.length = 0;
      }
      rest.push(...namesOf(node.target).reverse());
      continue;
    }
    if (last && !(wantsFolder && node?.kind === "file")) {
      if (node?.kind !== "folder") return { folders, names: [...names, name], ...(node && { node }) };
    } else if (node?.kind !== "folder") {
      throw new Fault(node ? "ENOTDIR" : "ENOENT", path);
    }
    folders.push(node);
    names.push(name);
  }
  const node = folders.pop()!;
  return folders.length === 0 ? { folders: [node], names, node } : { folders, names, node };
}
