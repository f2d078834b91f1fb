import { appended } from "./append.ts";
import { Fault } from "./fault.ts";
import { type FileNode, type FolderNode, type Node, type Owner, owned } from "./node.ts";
import { type Place, walk } from "./walk.ts";

/** The first change of a tree is dated 2000-01-01 and one second. */
const EPOCH_MS = 946_684_800_000;

/** The files of a sandbox at one time. Never changes. */
export interface TreeState {
  readonly root: FolderNode;
  readonly numChanges: number;
}

/** The state of a tree in which nothing is. */
export function emptyState(): TreeState {
  const root: FolderNode = { kind: "folder", mode: 0o755, mtimeMs: EPOCH_MS, owner: {}, entries: new Map() };
  return { root, numChanges: 0 };
}

/**
 * Files, folders and symbolic links in memory, copied on write: `state()` and a tree made of a state cost the same
 * whatever is in it, and what neither side changes is shared between them, folders and contents alike.
 *
 * Dates are no wall-clock time: each change is dated one second after the one before, so that the same changes give
 * the same tree. Every method throws a `Fault` if it cannot be done.
 */
export class FileTree {
  #root: FolderNode;
  #numChanges: number;
  #owner: Owner = {};

  constructor(state: TreeState) {
    this.#root = state.root;
    this.#numChanges = state.numChanges;
  }

  /** What is in the tree now. Two states are of the same files if their roots are the same object. */
  state(): TreeState {
    this.#owner = {};
    return { root: this.#root, numChanges: this.#numChanges };
  }

  /** The tree's own time: that of its last change. */
  get nowMs(): number {
    return EPOCH_MS + this.#numChanges * 1000;
  }

  /** @returns undefined if there is nothing; the last name is followed if it is a link. */
  find(path: string): Node | undefined {
    return walk(this.#root, path, true).node;
  }

  stat(path: string): FileNode | FolderNode {
    const { node } = walk(this.#root, path, true);
    if (!node || node.kind === "link") throw new Fault("ENOENT", path);
    return node;
  }

  /** What is there, a link itself if it is one. */
  lstat(path: string): Node {
    const { node } = walk(this.#root, path, false);
    if (!node) throw new Fault("ENOENT", path);
    return node;
  }

  /** The path without links. */
  realPath(path: string): string {
    const { node, names } = walk(this.#root, path, true);
    if (!node) throw new Fault("ENOENT", path);
    return `/${names.join("/")}`;
  }

  list(path: string): ReadonlyMap<string, Node> {
    const node = this.stat(path);
    if (node.kind !== "folder") throw new Fault("ENOTDIR", path);
    return node.entries;
  }

  read(path: string): Uint8Array {
    const node = this.stat(path);
    if (node.kind !== "file") throw new Fault("EISDIR", path);
    return node.content;
  }

  /** The content is shared, not copied: the caller must not change it from here on. Keeps the mode of a file. */
  write(path: string, content: Uint8Array): void {
    const place = this.#fileAt(path);
    const { mode } = place.node ?? { mode: 0o644 };
    this.#put(place, { kind: "file", mode, mtimeMs: this.#tick(), content });
  }

  append(path: string, more: Uint8Array): void {
    const { node } = this.#fileAt(path);
    this.write(path, node?.kind === "file" ? appended(node.content, more) : more.slice());
  }

  mkdir(path: string): void {
    const place = walk(this.#root, path, false);
    if (place.node) throw new Fault("EEXIST", path);
    const entries = new Map<string, Node>();
    this.#put(place, { kind: "folder", mode: 0o755, mtimeMs: this.#tick(), owner: this.#owner, entries });
  }

  /** Makes the missing folders of a path; it is fine if all are there. */
  mkdirs(path: string): void {
    const names = path.split("/").filter(Boolean);
    for (let count = 1; count <= names.length; count++) {
      const folder = `/${names.slice(0, count).join("/")}`;
      const node = walk(this.#root, folder, true).node;
      if (!node) this.mkdir(folder);
      else if (node.kind !== "folder") throw new Fault(count === names.length ? "EEXIST" : "ENOTDIR", path);
    }
  }

  symlink(target: string, path: string): void {
    const place = walk(this.#root, path, false);
    if (place.node) throw new Fault("EEXIST", path);
    this.#put(place, { kind: "link", mode: 0o777, mtimeMs: this.#tick(), target });
  }

  readLink(path: string): string {
    const node = this.lstat(path);
    if (node.kind !== "link") throw new Fault("EINVAL", path);
    return node.target;
  }

  /** A file, a link or an empty folder; with `recursive` a folder with all that is in it. */
  remove(path: string, recursive = false): void {
    const place = walk(this.#root, path, false);
    if (!place.node) throw new Fault("ENOENT", path);
    if (place.names.length === 0) throw new Fault("EINVAL", path);
    if (place.node.kind === "folder" && place.node.entries.size > 0 && !recursive) {
      throw new Fault("ENOTEMPTY", path);
    }
    this.#tick();
    this.#put(place, undefined);
  }

  /** Takes the place of a file or an empty folder that is there, as a kernel's rename does. */
  rename(from: string, to: string): void {
    const source = walk(this.#root, from, false);
    const target = walk(this.#root, to, false);
    const { node } = source;
    if (!node) throw new Fault("ENOENT", from);
    if (source.names.length === 0 || target.names.length === 0) throw new Fault("EINVAL", from);
    const inside = source.names.every((name, at) => target.names[at] === name);
    if (inside && source.names.length === target.names.length) return;
    if (inside && node.kind === "folder") throw new Fault("EINVAL", to);
    if (target.node?.kind === "folder") {
      if (node.kind !== "folder") throw new Fault("EISDIR", to);
      if (target.node.entries.size > 0) throw new Fault("ENOTEMPTY", to);
    } else if (target.node && node.kind === "folder") throw new Fault("ENOTDIR", to);
    this.#tick();
    this.#put(source, undefined);
    this.#put(walk(this.#root, to, false), node);
  }

  chmod(path: string, mode: number): void {
    this.#change(path, { mode: mode & 0o7777 });
  }

  setTime(path: string, mtimeMs: number): void {
    this.#change(path, { mtimeMs });
  }

  #change(path: string, meta: { readonly mode?: number; readonly mtimeMs?: number }): void {
    const place = walk(this.#root, path, true);
    const { node } = place;
    if (!node) throw new Fault("ENOENT", path);
    if (place.names.length === 0) this.#root = { ...owned(this.#root, this.#owner), ...meta };
    else this.#put(place, { ...node, ...meta }, false);
  }

  /** The place of a file that is there or can be made. */
  #fileAt(path: string): Place {
    const place = walk(this.#root, path, true);
    if (place.node?.kind === "folder" || path.endsWith("/")) throw new Fault("EISDIR", path);
    return place;
  }

  /** Puts a node in its place, or takes it away, in folders that are this tree's own. */
  #put({ names }: Place, node: Node | undefined, touch = true): void {
    let folder = owned(this.#root, this.#owner);
    this.#root = folder;
    for (const name of names.slice(0, -1)) {
      const child = owned(folder.entries.get(name) as FolderNode, this.#owner);
      folder.entries.set(name, child);
      folder = child;
    }
    const last = names.at(-1)!;
    if (touch && (!node || !folder.entries.has(last))) folder.mtimeMs = this.nowMs;
    if (node) folder.entries.set(last, node);
    else folder.entries.delete(last);
  }

  #tick(): number {
    this.#numChanges++;
    return this.nowMs;
  }
}
