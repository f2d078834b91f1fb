import { createHash } from "node:crypto";

/** Of a file, of a file that can be run, of a symbolic link (its content is its target). */
export type Mode = "100644" | "100755" | "120000";

/** The content is the very bytes that the sandbox's file has: nothing is copied. */
export interface Blob {
  readonly kind: "blob";
  readonly mode: Mode;
  readonly content: Uint8Array;
}

/** A folder as git has it: files and folders that are not empty. Never changes, so any number of commits share it. */
export interface GitTree {
  readonly kind: "tree";
  readonly entries: ReadonlyMap<string, Entry>;
}

export type Entry = Blob | GitTree;

export const EMPTY_TREE: GitTree = { kind: "tree", entries: new Map() };

const blobIds = new WeakMap<Uint8Array, string>();
const treeIds = new WeakMap<GitTree, string>();

/** The name that git gives to an object: the SHA-1 of its type, its size and what is in it. */
export function objectId(type: string, content: Uint8Array): string {
  return createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
}

export function blobId(content: Uint8Array): string {
  const known = blobIds.get(content);
  if (known !== undefined) return known;
  const id = objectId("blob", content);
  blobIds.set(content, id);
  return id;
}

export function treeId(tree: GitTree): string {
  const known = treeIds.get(tree);
  if (known !== undefined) return known;
  const parts = sorted(tree).flatMap(([name, entry]) => [
    Buffer.from(`${entry.kind === "tree" ? "40000" : entry.mode} ${name}\0`),
    Buffer.from(idOf(entry), "hex"),
  ]);
  const id = objectId("tree", Buffer.concat(parts));
  treeIds.set(tree, id);
  return id;
}

export function idOf(entry: Entry): string {
  return entry.kind === "tree" ? treeId(entry) : blobId(entry.content);
}

export function isSameBlob(one: Blob, other: Blob, withMode = true): boolean {
  const isSameKind = withMode ? one.mode === other.mode : isLink(one) === isLink(other);
  return isSameKind && (one.content === other.content || Buffer.compare(one.content, other.content) === 0);
}

export function isLink({ mode }: Blob): boolean {
  return mode === "120000";
}

/** Its entries in git's order: by bytes, a folder's name as if it ended in a slash. */
export function sorted({ entries }: GitTree): [string, Entry][] {
  const key = ([name, { kind }]: [string, Entry]): string => (kind === "tree" ? `${name}/` : name);
  return [...entries].sort((one, other) => byBytes(key(one), key(other)));
}

export function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Every file below, by its path, in git's order. */
export function* blobs(tree: GitTree, prefix = ""): Generator<[string, Blob]> {
  for (const [name, entry] of sorted(tree)) {
    if (entry.kind === "blob") yield [prefix + name, entry];
    else yield* blobs(entry, `${prefix}${name}/`);
  }
}

export function entryAt(tree: GitTree, path: string): Entry | undefined {
  let entry: Entry | undefined = tree;
  for (const name of path.split("/").filter(Boolean)) {
    entry = entry?.kind === "tree" ? entry.entries.get(name) : undefined;
  }
  return entry;
}

export function blobAt(tree: GitTree, path: string): Blob | undefined {
  const entry = entryAt(tree, path);
  return entry?.kind === "blob" ? entry : undefined;
}

/** The tree with an entry put in its place, or without it; a folder that would be empty goes too. */
export function withEntry(tree: GitTree, path: string, entry: Entry | undefined): GitTree {
  const [name = "", ...rest] = path.split("/").filter(Boolean);
  const entries = new Map(tree.entries);
  const old = entries.get(name);
  const put =
    rest.length === 0 ? entry : withEntry(old?.kind === "tree" ? old : EMPTY_TREE, rest.join("/"), entry);
  if (put && !(put.kind === "tree" && put.entries.size === 0)) entries.set(name, put);
  else entries.delete(name);
  return { kind: "tree", entries };
}
