import { isAscii, isUtf8 } from "node:buffer";
import type { BufferEncoding, FileContent, FsStat, IFileSystem, MkdirOptions } from "just-bash";
import { decode, encode } from "../gnu/text.ts";
import { Fault } from "../tree/fault.ts";
import type { FileTree } from "../tree/file-tree.ts";
import type { Node } from "../tree/node.ts";
import { joined } from "../tree/path.ts";
import { dateOf } from "./date.ts";
import type { Sink } from "./sink.ts";
import type { Stop } from "./stop.ts";

type Encoding = { readonly encoding?: BufferEncoding | null } | BufferEncoding | undefined;

const NULL = "/dev/null";

/** The shell looks for its commands as files; those by which it answers us are no files of the sandbox. */
const OWN = /^\/usr\/bin\/forkgym-(state|out|run|folders)$/;
const SHELL = "/usr/bin/bash";

/** A tree as the shell sees it, for one command. Each call is a chance to stop, and to let others have a turn. */
export class ShellFiles implements IFileSystem {
  readonly #tree: FileTree;
  readonly #stop: Stop;
  readonly #sink: Sink;
  /** What was read as bytes, which the shell's commands take for text if they can. */
  readonly seen: { odd: boolean; utf8: boolean } = { odd: false, utf8: false };

  constructor(tree: FileTree, stop: Stop, sink: Sink) {
    this.#tree = tree;
    this.#stop = stop;
    this.#sink = sink;
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const bytes = await this.#read(path);
    const encoding = encodingOf(options);
    if (encoding === "utf8" || encoding === "utf-8") {
      if (!isAscii(bytes)) this.seen.utf8 = true;
      return decode(bytes);
    }
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding);
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    const bytes = await this.#read(path);
    if (!isAscii(bytes)) this.seen[isUtf8(bytes) ? "utf8" : "odd"] = true;
    return bytes;
  }

  async #read(path: string): Promise<Uint8Array> {
    await this.#stop.turn();
    return path === NULL ? new Uint8Array() : this.#tree.read(path);
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    await this.#stop.turn();
    if (path !== NULL) this.#tree.write(path, bytesOf(content, options));
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const bytes = bytesOf(content, options);
    // Also of a script that is stopped: what it wrote is kept.
    if (this.#sink.write(path, bytes)) return;
    await this.#stop.turn();
    if (path !== NULL) this.#tree.append(path, bytes);
  }

  async exists(path: string): Promise<boolean> {
    await this.#stop.turn();
    if (OWN.test(path)) return true;
    try {
      return this.#tree.find(path) !== undefined;
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  async stat(path: string): Promise<FsStat> {
    await this.#stop.turn();
    const real = this.#tree.realPath(OWN.test(path) ? SHELL : path);
    return statOf(this.#tree.stat(real), real);
  }

  async lstat(path: string): Promise<FsStat> {
    await this.#stop.turn();
    const node = this.#tree.lstat(path);
    const [folder, name] = [joined(path, ".."), path.replace(/\/+$/, "").split("/").at(-1)];
    return statOf(node, joined(this.#tree.realPath(folder), name ?? ""));
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    await this.#stop.turn();
    if (options?.recursive) this.#tree.mkdirs(path);
    else this.#tree.mkdir(path);
  }

  async readdir(path: string): Promise<string[]> {
    await this.#stop.turn();
    return [...this.#tree.list(path).keys()].sort();
  }

  async readdirWithFileTypes(
    path: string,
  ): Promise<{ name: string; isFile: boolean; isDirectory: boolean; isSymbolicLink: boolean }[]> {
    const names = await this.readdir(path);
    const entries = this.#tree.list(path);
    return names.map((name) => ({ name, ...kindOf(entries.get(name)!) }));
  }

  async rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    await this.#stop.turn();
    try {
      this.#tree.remove(path, options?.recursive);
    } catch (error) {
      if (!(options?.force && error instanceof Fault && error.code === "ENOENT")) throw error;
    }
  }

  async cp(from: string, to: string, options?: { recursive?: boolean }): Promise<void> {
    await this.#stop.turn();
    const node = this.#tree.stat(from);
    if (node.kind === "file") {
      this.#tree.write(to, node.content);
      this.#tree.chmod(to, node.mode);
    } else if (options?.recursive) {
      if (`${to}/`.startsWith(`${from}/`)) throw new Fault("EINVAL", to);
      this.#tree.mkdirs(to);
      for (const [name, child] of this.#tree.list(from)) {
        if (child.kind === "link") this.#tree.symlink(child.target, `${to}/${name}`);
        else await this.cp(`${from}/${name}`, `${to}/${name}`, options);
      }
    } else throw new Fault("EISDIR", from);
  }

  async mv(from: string, to: string): Promise<void> {
    await this.#stop.turn();
    this.#tree.rename(from, to);
  }

  resolvePath(base: string, path: string): string {
    return joined(base, path);
  }

  /** Every path there is, for the shell's globs. */
  getAllPaths(): string[] {
    const paths: string[] = [];
    const add = (folder: string, entries: ReadonlyMap<string, Node>): void => {
      for (const [name, node] of entries) {
        paths.push(`${folder}/${name}`);
        if (node.kind === "folder") add(`${folder}/${name}`, node.entries);
      }
    };
    add("", this.#tree.list("/"));
    return paths;
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.#stop.turn();
    this.#tree.chmod(path, mode);
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.#stop.turn();
    this.#tree.symlink(target, path);
  }

  /** A copy that shares the content until either is written: there are no hard links. */
  async link(from: string, to: string): Promise<void> {
    await this.#stop.turn();
    if (this.#tree.find(to)) throw new Fault("EEXIST", to);
    await this.cp(from, to);
  }

  async readlink(path: string): Promise<string> {
    await this.#stop.turn();
    return this.#tree.readLink(path);
  }

  async realpath(path: string): Promise<string> {
    await this.#stop.turn();
    return this.#tree.realPath(path);
  }

  async utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    await this.#stop.turn();
    this.#tree.setTime(path, mtime.getTime());
  }
}

function encodingOf(options: Encoding): BufferEncoding {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8";
}

/** The shell may go on with what it gave, so bytes are copied; the tree keeps them. */
function bytesOf(content: FileContent, options: Encoding): Uint8Array {
  if (typeof content !== "string") return new Uint8Array(content);
  const encoding = encodingOf(options);
  const isText = encoding === "utf8" || encoding === "utf-8";
  return new Uint8Array(isText ? encode(content) : Buffer.from(content, encoding));
}

function kindOf({ kind }: Node): { isFile: boolean; isDirectory: boolean; isSymbolicLink: boolean } {
  return { isFile: kind === "file", isDirectory: kind === "folder", isSymbolicLink: kind === "link" };
}

/** @param path without links: by it the shell tells whether two names are of one file. */
function statOf(node: Node, path: string): FsStat {
  const size = node.kind === "file" ? node.content.length : node.kind === "link" ? node.target.length : 0;
  return { ...kindOf(node), mode: node.mode, size, mtime: dateOf(node.mtimeMs), identity: path };
}
