import { patched, resized } from "../tree/append.ts";
import { Fault } from "../tree/fault.ts";
import type { FileTree } from "../tree/file-tree.ts";
import type { Node } from "../tree/node.ts";
import { joined } from "../tree/path.ts";
import type { FileServer } from "./mounts.ts";

interface Handle {
  path: string;
  /** Set when its file was removed: what is written is seen by the handle alone. */
  content?: Uint8Array;
}

type Entry = { readonly name: string; readonly kind: "file" | "directory"; readonly size: number };

/** What a program has open in a tree, and what it read of its Python sources. */
export class OpenFiles {
  readonly handles: Map<number, Handle> = new Map();
  /** Path to content, for the bytecode made of it. */
  readonly sources: Map<string, Uint8Array> = new Map();
  next = 1;
}

/**
 * One top folder of a tree, for a program under Wasmer. What Wasmer's own interface has no words for is not there:
 * links are followed, and dates and modes are not seen.
 */
export class TreeServer implements FileServer {
  readonly #tree: FileTree;
  readonly #folder: string;
  readonly #open: OpenFiles;

  constructor(tree: FileTree, folder: string, open: OpenFiles) {
    this.#tree = tree;
    this.#folder = folder;
    this.#open = open;
  }

  answer(method: string, args: readonly unknown[]): unknown {
    const [first, second, third] = args;
    switch (method) {
      case "stat":
        return entryOf("", this.#tree.stat(this.#path(first)));
      case "readDir":
        return this.#list(this.#path(first));
      case "open":
        return this.#openFile(this.#path(first), args as Parameters<typeof flagsOf>[0]);
      case "mkdir":
        return this.#tree.mkdir(this.#path(first));
      case "remove":
        return this.#remove(this.#path(first));
      case "rename":
        return this.#rename(this.#path(first), this.#path(second));
      case "read":
        return this.#content(first).subarray(Number(second), Number(second) + Number(third));
      case "write":
        this.#change(first, patched(this.#content(first), Number(second), third as Uint8Array));
        return (third as Uint8Array).length;
      case "setLen":
        return this.#change(first, resized(this.#content(first), Number(second)));
      case "close":
        this.#open.handles.delete(first as number);
        return undefined;
      case "flush":
      case "sync":
        return undefined;
      default:
        throw new Fault("EINVAL", method);
    }
  }

  #path(relative: unknown): string {
    return joined(this.#folder, `./${relative}`);
  }

  #list(path: string): Entry[] {
    const entries: Entry[] = [];
    const real = this.#tree.realPath(path);
    for (const [name, node] of this.#tree.list(path)) {
      if (node.kind !== "link") entries.push(entryOf(name, node));
      else {
        const target = this.#follow(`${path}/${name}`);
        // A program that walks folders cannot tell a link, and would never come out of a loop.
        if (target.kind === "folder" && `${real}/`.startsWith(`${this.#tree.realPath(`${path}/${name}`)}/`))
          continue;
        entries.push(entryOf(name, target));
      }
    }
    return entries;
  }

  #follow(path: string): Node {
    try {
      return this.#tree.stat(path);
    } catch {
      return this.#tree.lstat(path);
    }
  }

  #openFile(path: string, args: Parameters<typeof flagsOf>[0]): number {
    const { read, create, createNew, truncate } = flagsOf(args);
    const node = this.#tree.find(path);
    if (node?.kind === "folder") throw new Fault("EISDIR", path);
    if (node && createNew) throw new Fault("EEXIST", path);
    if (!node && !create && !createNew) throw new Fault("ENOENT", path);
    if (!node || (truncate && node.kind === "file" && node.content.length > 0))
      this.#tree.write(path, new Uint8Array());
    else if (read && path.endsWith(".py")) this.#open.sources.set(path, this.#tree.read(path));
    const id = this.#open.next++;
    this.#open.handles.set(id, { path });
    return id;
  }

  #handle(id: unknown): Handle {
    const handle = this.#open.handles.get(id as number);
    if (!handle) throw new Fault("EINVAL", String(id));
    return handle;
  }

  #content(id: unknown): Uint8Array {
    const { path, content } = this.#handle(id);
    return content ?? this.#tree.read(path);
  }

  #change(id: unknown, content: Uint8Array): void {
    const handle = this.#handle(id);
    if (handle.content) handle.content = content;
    else this.#tree.write(handle.path, content);
  }

  #remove(path: string): void {
    const node = this.#tree.lstat(path);
    this.#tree.remove(path);
    if (node.kind !== "file") return;
    for (const handle of this.#open.handles.values()) {
      if (handle.path === path) handle.content = node.content;
    }
  }

  #rename(from: string, to: string): void {
    this.#tree.rename(from, to);
    for (const handle of this.#open.handles.values()) {
      if (handle.path === from) handle.path = to;
      else if (handle.path.startsWith(`${from}/`)) handle.path = to + handle.path.slice(from.length);
    }
  }
}

function flagsOf(args: readonly [string, boolean, boolean, boolean, boolean, boolean, boolean]): {
  readonly read: boolean;
  readonly create: boolean;
  readonly createNew: boolean;
  readonly truncate: boolean;
} {
  const [, read, , create, createNew, truncate] = args;
  return { read, create, createNew, truncate };
}

function entryOf(name: string, node: Node): Entry {
  if (node.kind === "folder") return { name, kind: "directory", size: 0 };
  return { name, kind: "file", size: node.kind === "file" ? node.content.length : 0 };
}
