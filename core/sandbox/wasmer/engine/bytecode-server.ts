import { Fault } from "../tree/fault.ts";
import type { FileTree } from "../tree/file-tree.ts";
import { BytecodeCache } from "./bytecode-cache.ts";
import type { FileServer } from "./mounts.ts";
import { SITE, SITE_FILE, WHOLE } from "./python.ts";
import type { OpenFiles } from "./tree-server.ts";

const cache = new BytecodeCache();

interface Draft {
  path: string;
  content: Uint8Array;
}

/**
 * Where Python keeps its bytecode (PYTHONPYCACHEPREFIX). No file of a sandbox: a lookup finds the bytecode of what
 * the source holds at that time, so a changed source never meets old bytecode, although Python sees no dates here.
 */
export class BytecodeServer implements FileServer {
  readonly #tree: FileTree;
  readonly #open: OpenFiles;
  readonly #handles = new Map<number, Draft>();
  readonly #drafts = new Map<string, Draft>();
  #next = 1;

  constructor(tree: FileTree, open: OpenFiles) {
    this.#tree = tree;
    this.#open = open;
  }

  answer(method: string, args: readonly unknown[]): unknown {
    const path = `/${args[0]}`;
    switch (method) {
      case "stat":
        return this.#stat(path);
      case "readDir":
        return [];
      case "open":
        return this.#openFile(path, Boolean(args[3]) || Boolean(args[4]));
      case "read":
        return this.#handle(args[0]).content.subarray(Number(args[1]), Number(args[1]) + Number(args[2]));
      case "write":
        return this.#write(this.#handle(args[0]), args[2] as Uint8Array);
      case "rename":
        return this.#keep(path, `/${args[1]}`);
      case "remove":
        this.#drafts.delete(path);
        return undefined;
      case "close":
        this.#handles.delete(args[0] as number);
        return undefined;
      default:
        return undefined;
    }
  }

  #stat(path: string): unknown {
    const found = this.#drafts.get(path)?.content ?? this.#find(path);
    if (found) return { name: "", kind: "file", size: found.length };
    if (/\.pyc(\.\w+)?$/.test(path)) throw new Fault("ENOENT", path);
    return { name: "", kind: "directory", size: 0 };
  }

  #openFile(path: string, create: boolean): number {
    let draft = this.#drafts.get(path);
    const found = draft?.content ?? this.#find(path);
    if (!found && !create) throw new Fault("ENOENT", path);
    if (create) {
      draft ??= { path, content: new Uint8Array() };
      this.#drafts.set(path, draft);
    }
    this.#handles.set(this.#next, draft ?? { path, content: found! });
    return this.#next++;
  }

  #handle(id: unknown): Draft {
    const draft = this.#handles.get(id as number);
    if (!draft) throw new Fault("EINVAL", String(id));
    return draft;
  }

  #write(draft: Draft, bytes: Uint8Array): number {
    draft.content = Buffer.concat([draft.content, bytes]);
    return bytes.length;
  }

  /** Python writes a file beside, and gives it its name when it is whole. */
  #keep(from: string, to: string): void {
    const draft = this.#drafts.get(from);
    const name = parse(to);
    if (!draft) throw new Fault("ENOENT", from);
    this.#drafts.delete(from);
    if (!name) return;
    // What was read, not what is there by now: it may have been changed while it was compiled. The site's file is written
    // by Python's own writer, which it has yet to replace, and is small.
    const isSite = name.path === SITE_FILE;
    if (!isSite && !from.endsWith(WHOLE)) return;
    const source = isSite ? SITE : this.#open.sources.get(name.path);
    if (source) cache.set(source, name.kind, Uint8Array.from(draft.content));
  }

  #find(path: string): Uint8Array | undefined {
    const name = parse(path);
    if (!name) return undefined;
    if (name.path === SITE_FILE) return cache.get(SITE, name.kind);
    const node = this.#tree.find(name.path);
    return node?.kind === "file" ? cache.get(node.content, name.kind) : undefined;
  }
}

/** `/a/b.cpython-311.opt-1.pyc` is bytecode of `/a/b.py`, of the kind `.cpython-311.opt-1`. */
function parse(path: string): { readonly path: string; readonly kind: string } | undefined {
  const match = /^(.*\/[^/.]+)(\.[^/]*)\.pyc$/.exec(path);
  if (!match) return undefined;
  return { path: `${match[1]}.py`, kind: match[2]! };
}
