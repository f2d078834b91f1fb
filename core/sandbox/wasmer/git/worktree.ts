import { Fault } from "../tree/fault.ts";
import type { FileNode, FolderNode, LinkNode } from "../tree/node.ts";
import type { Ignore } from "./ignore.ts";
import { type Blob, EMPTY_TREE, type Entry, type GitTree, isSameBlob } from "./objects.ts";
import type { Repository } from "./repository.ts";
import { nodeAt } from "./text-files.ts";

/** A file that is there before, after, or both times, with other content or another mode. */
export interface Change {
  readonly path: string;
  readonly old?: Blob | undefined;
  readonly now?: Blob | undefined;
}

/** Folders that hold the very files of a tree and no others: such a folder need not be looked into again. */
const clean = new WeakMap<FolderNode, GitTree>();
const known = new WeakMap<FileNode | LinkNode, Blob>();

export function blobOf(node: FileNode | LinkNode): Blob {
  const old = known.get(node);
  if (old) return old;
  const blob: Blob =
    node.kind === "link"
      ? { kind: "blob", mode: "120000", content: new Uint8Array(Buffer.from(node.target)) }
      : { kind: "blob", mode: node.mode & 0o100 ? "100755" : "100644", content: node.content };
  known.set(node, blob);
  return blob;
}

/** What differs between two trees; what they share is not looked at. */
export function compareTrees(old: GitTree, now: GitTree, prefix = ""): Change[] {
  if (old === now) return [];
  const names = new Set([...old.entries.keys(), ...now.entries.keys()]);
  return [...names].flatMap((name): Change[] => {
    const [before, after] = [old.entries.get(name), now.entries.get(name)];
    if (before === after) return [];
    const path = prefix + name;
    const folders = compareTrees(treeOf(before), treeOf(after), `${path}/`);
    const [one, other] = [fileOf(before), fileOf(after)];
    if ((!one && !other) || (one && other && isSameBlob(one, other))) return folders;
    return [{ path, old: one, now: other }, ...folders];
  });
}

/** What differs between a tree and the files of a folder that are in the tree. */
export function compareFolder(
  tree: GitTree,
  folder: FolderNode | undefined,
  withMode: boolean,
  prefix = "",
): Change[] {
  if (folder && clean.get(folder) === tree) return [];
  const changes: Change[] = [];
  let isExact = folder?.entries.size === tree.entries.size;
  for (const [name, entry] of tree.entries) {
    const node = folder?.entries.get(name);
    const path = prefix + name;
    if (entry.kind === "tree") {
      const inner = node?.kind === "folder" ? node : undefined;
      changes.push(...compareFolder(entry, inner, withMode, `${path}/`));
      if (!inner || clean.get(inner) !== entry) isExact = false;
    } else {
      const found = node && node.kind !== "folder" ? blobOf(node) : undefined;
      if (!found || !isSameBlob(entry, found)) isExact = false;
      if (!found || !isSameBlob(entry, found, withMode))
        changes.push({ path, old: entry, now: found && like(entry, found, withMode) });
    }
  }
  if (isExact && folder) clean.set(folder, tree);
  return changes;
}

/** A file that was there keeps its mode where modes do not count. */
function like(old: Blob, now: Blob, withMode: boolean): Blob {
  return withMode || now.mode === "120000" || old.mode === "120000" ? now : { ...now, mode: old.mode };
}

export interface Walk {
  readonly ignore: Ignore;
  /** Which paths count; a folder does if one below might. */
  readonly has: (path: string) => boolean;
  /** Whether files count that are ignored, or those alone. @default "no" */
  readonly ignored?: "no" | "also" | "only";
}

/** Files that are not in the tree; of a folder with none that is, `folder/` alone, unless `deep`. */
export function untracked(
  tree: GitTree,
  folder: FolderNode,
  walk: Walk,
  deep = false,
  prefix = "",
): string[] {
  if (clean.get(folder) === tree) return [];
  const inner = { ...walk, ignore: walk.ignore.within(folder, prefix) };
  const { ignored = "no" } = walk;
  const found: string[] = [];
  for (const [name, node] of folder.entries) {
    if (name === ".git") continue;
    const path = prefix + name;
    const entry = tree.entries.get(name);
    const isIgnored = inner.ignore.has(path, node.kind === "folder");
    if (node.kind !== "folder") {
      if (entry?.kind !== "blob" && counts(isIgnored, ignored) && walk.has(path)) found.push(path);
    } else if (entry?.kind === "blob" && !deep) {
      // As git has it: of a folder in the place of a file nothing is shown but that the file went.
    } else if (isRepository(node) && entry?.kind !== "tree") {
      if (counts(isIgnored, ignored) && walk.has(`${path}/`)) found.push(`${path}/`);
    } else if (isIgnored && entry?.kind !== "tree") {
      if (ignored === "no") continue;
      const all = untracked(EMPTY_TREE, node, { ...inner, ignored: "also" }, deep, `${path}/`);
      found.push(...(deep || all.length === 0 ? all : [`${path}/`]));
    } else {
      const all = untracked(treeOf(entry), node, inner, deep, `${path}/`);
      const isWhole = entry?.kind !== "tree" && !deep && walk.has(`${path}/`);
      if (all.length > 0 && isWhole && (ignored !== "only" || all.length === node.entries.size))
        found.push(`${path}/`);
      else found.push(...all);
    }
  }
  return found.sort();
}

function counts(isIgnored: boolean, wanted: "no" | "also" | "only"): boolean {
  return wanted === "also" || isIgnored === (wanted === "only");
}

/** The tree with the files of a folder in it as they are now: changed, new unless ignored, and without those gone. */
export function staged(tree: GitTree, folder: FolderNode | undefined, walk: Walk, prefix = ""): GitTree {
  if (folder && clean.get(folder) === tree) return tree;
  const ignore = folder ? walk.ignore.within(folder, prefix) : walk.ignore;
  const entries = new Map<string, Entry>();
  let isSame = true;
  let isExact = true;
  const keep = (name: string, entry: Entry | undefined): void => {
    if (entry && !(entry.kind === "tree" && entry.entries.size === 0)) entries.set(name, entry);
    if (entries.get(name) !== tree.entries.get(name)) isSame = false;
  };
  for (const name of new Set([...tree.entries.keys(), ...(folder?.entries.keys() ?? [])])) {
    const [old, node, path] = [tree.entries.get(name), folder?.entries.get(name), prefix + name];
    if (name === ".git") isExact = false;
    else if (node?.kind === "folder" && !(isRepository(node) && old?.kind !== "tree")) {
      const isOut = old?.kind !== "tree" && walk.ignored !== "also" && ignore.has(path, true);
      const inner = isOut ? EMPTY_TREE : staged(treeOf(old), node, { ...walk, ignore }, `${path}/`);
      if (clean.get(node) !== inner) isExact = false;
      keep(name, inner.entries.size > 0 ? inner : walk.has(path) ? undefined : fileOf(old));
    } else if (old?.kind === "tree") {
      isExact = false;
      const rest = staged(old, undefined, walk, `${path}/`);
      const file =
        rest.entries.size === 0 &&
        node &&
        node.kind !== "folder" &&
        walk.has(path) &&
        !ignore.has(path, false);
      keep(name, file ? blobOf(node) : rest);
    } else if (!node || node.kind === "folder") {
      isExact = false;
      keep(name, walk.has(path) ? undefined : old);
    } else {
      const isIn = walk.has(path) && (old || walk.ignored === "also" || !ignore.has(path, false));
      const found = blobOf(node);
      const entry = isIn ? (old && isSameBlob(old, found) ? old : found) : old;
      if (!entry || !isSameBlob(entry, found)) isExact = false;
      keep(name, entry);
    }
  }
  const result = isSame ? tree : { kind: "tree" as const, entries };
  if (isExact && folder) clean.set(folder, result);
  return result;
}

function isRepository({ entries }: FolderNode): boolean {
  return entries.has(".git");
}

function treeOf(entry: Entry | undefined): GitTree {
  return entry?.kind === "tree" ? entry : EMPTY_TREE;
}

function fileOf(entry: Entry | undefined): Blob | undefined {
  return entry?.kind === "blob" ? entry : undefined;
}

/** Makes files what a tree says. Folders that are then empty go, as git has it. */
export function writeFiles(repo: Repository, changes: readonly Change[]): void {
  for (const { path, now } of changes) if (!now) removeFile(repo, path);
  for (const { path, now } of changes) if (now) writeFile(repo, path, now);
}

export function writeFile({ tree, root }: Pick<Repository, "tree" | "root">, path: string, blob: Blob): void {
  const names = path.split("/");
  for (let count = 1; count < names.length; count++) {
    const folder = `${root}/${names.slice(0, count).join("/")}`;
    const there = nodeAt(tree, folder);
    if (there && there.kind !== "folder") tree.remove(folder);
    if (there?.kind !== "folder") tree.mkdir(folder);
  }
  const full = `${root}/${path}`;
  const there = nodeAt(tree, full);
  if (there && (there.kind !== "file" || blob.mode === "120000")) tree.remove(full, true);
  if (blob.mode === "120000") tree.symlink(Buffer.from(blob.content).toString(), full);
  else {
    tree.write(full, blob.content);
    const mode = blob.mode === "100755" ? 0o755 : 0o644;
    if ((tree.stat(full).mode & 0o100) !== (mode & 0o100)) tree.chmod(full, mode);
  }
}

export function removeFile({ tree, root }: Pick<Repository, "tree" | "root">, path: string): void {
  try {
    tree.remove(`${root}/${path}`);
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      tree.remove(`${root}/${path.slice(0, at)}`);
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

/** A file of the working tree. */
export function workFile({ tree, root }: Repository, path: string): Blob | undefined {
  const node = nodeAt(tree, `${root}/${path}`);
  return node && node.kind !== "folder" ? blobOf(node) : undefined;
}
