import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "../../../../../core/sandbox/wasmer/tree/fault.ts";
import { emptyState, FileTree } from "../../../../../core/sandbox/wasmer/tree/file-tree.ts";

type Change =
  | { readonly do: "write" | "append"; readonly path: string; readonly text: string }
  | { readonly do: "mkdir" | "remove" | "removeAll"; readonly path: string }
  | { readonly do: "rename"; readonly path: string; readonly to: string }
  | { readonly do: "chmod"; readonly path: string; readonly mode: number }
  | { readonly do: "symlink"; readonly path: string; readonly target: string };

const name = fc.constantFrom("a", "b", "c");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join("/")}`);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ do: fc.constantFrom("write", "append"), path, text: fc.string({ maxLength: 5 }) }),
  fc.record({ do: fc.constantFrom("mkdir", "remove", "removeAll"), path }),
  fc.record({ do: fc.constant("rename"), path, to: path }),
  fc.record({ do: fc.constant("chmod"), path, mode: fc.integer({ min: 0, max: 0o777 }) }),
);
const changes = fc.array(change, { maxLength: 30 });

/** A map of paths: text is a file, null is a folder. Says what a kernel would do, with no structure to share. */
class Model {
  readonly #nodes: Map<string, { text: string | null; mode: number }>;

  constructor(nodes: Iterable<[string, { text: string | null; mode: number }]> = []) {
    this.#nodes = new Map([...nodes].map(([at, node]) => [at, { ...node }]));
  }

  copy(): Model {
    return new Model(this.#nodes);
  }

  show(): string[] {
    return [...this.#nodes].map(([at, { text, mode }]) => `${at} ${mode.toString(8)} ${text ?? "/"}`).sort();
  }

  /** @returns whether it can be done. */
  apply(step: Change): boolean {
    const node = this.#nodes.get(step.path);
    if (!this.#hasFolder(step.path)) return false;
    switch (step.do) {
      case "write":
      case "append": {
        if (node?.text === null) return false;
        const text = step.do === "append" ? (node?.text ?? "") + step.text : step.text;
        this.#nodes.set(step.path, { text, mode: node?.mode ?? 0o644 });
        return true;
      }
      case "mkdir":
        if (node) return false;
        this.#nodes.set(step.path, { text: null, mode: 0o755 });
        return true;
      case "remove":
      case "removeAll":
        if (!node || (step.do === "remove" && this.#inside(step.path).length > 0)) return false;
        for (const at of [step.path, ...this.#inside(step.path)]) this.#nodes.delete(at);
        return true;
      case "chmod":
        if (node) node.mode = step.mode;
        return node !== undefined;
      case "rename":
        return this.#rename(step.path, step.to);
      default:
        return false;
    }
  }

  #rename(from: string, to: string): boolean {
    const [node, there] = [this.#nodes.get(from), this.#nodes.get(to)];
    if (!node || !this.#hasFolder(to)) return false;
    if (from === to) return true;
    if (to.startsWith(`${from}/`)) return false;
    if (there && (there.text === null) !== (node.text === null)) return false;
    if (this.#inside(to).length > 0) return false;
    for (const at of [from, ...this.#inside(from)]) {
      this.#nodes.set(to + at.slice(from.length), this.#nodes.get(at)!);
      this.#nodes.delete(at);
    }
    return true;
  }

  #inside(folder: string): string[] {
    return [...this.#nodes.keys()].filter((at) => at.startsWith(`${folder}/`));
  }

  #hasFolder(at: string): boolean {
    const folder = at.slice(0, at.lastIndexOf("/"));
    return folder === "" || this.#nodes.get(folder)?.text === null;
  }
}

function apply(tree: FileTree, step: Change): boolean {
  try {
    const bytes = "text" in step ? new TextEncoder().encode(step.text) : new Uint8Array();
    if (step.do === "write") tree.write(step.path, bytes);
    else if (step.do === "append") tree.append(step.path, bytes);
    else if (step.do === "mkdir") tree.mkdir(step.path);
    else if (step.do === "rename") tree.rename(step.path, step.to);
    else if (step.do === "chmod") tree.chmod(step.path, step.mode);
    else if (step.do === "symlink") tree.symlink(step.target, step.path);
    else tree.remove(step.path, step.do === "removeAll");
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

function show(tree: FileTree): string[] {
  const lines: string[] = [];
  const add = (folder: string): void => {
    for (const [name, node] of tree.list(folder === "" ? "/" : folder)) {
      const at = `${folder}/${name}`;
      const text =
        node.kind === "file" ? Buffer.from(node.content).toString() : node.kind === "link" ? "@" : "/";
      lines.push(`${at} ${node.mode.toString(8)} ${text}`);
      if (node.kind === "folder") add(at);
    }
  };
  add("");
  return lines.sort();
}

describe("a file tree", () => {
  test("does what a plain map of paths says, and refuses what it refuses", () => {
    fc.assert(
      fc.property(changes, (steps) => {
        const [tree, model] = [new FileTree(emptyState()), new Model()];
        for (const step of steps) {
          expect(apply(tree, step), JSON.stringify(step)).toBe(model.apply(step));
          expect(show(tree)).toEqual(model.show());
        }
      }),
      { numRuns: 300 },
    );
  });

  test("made of a state goes its own way, and the state stays put", () => {
    fc.assert(
      fc.property(changes, changes, changes, (before, left, right) => {
        const [tree, model] = [new FileTree(emptyState()), new Model()];
        for (const step of before) {
          apply(tree, step);
          model.apply(step);
        }
        const state = tree.state();
        const [fork, forked, kept] = [new FileTree(state), model.copy(), model.show()];
        for (const [at, step] of left.entries()) {
          apply(tree, step);
          model.apply(step);
          const other = right[at];
          if (other) {
            apply(fork, other);
            forked.apply(other);
          }
        }
        expect(show(tree)).toEqual(model.show());
        expect(show(fork)).toEqual(forked.show());
        expect(show(new FileTree(state))).toEqual(kept);
      }),
      { numRuns: 300 },
    );
  });

  test("is the same state as long as nothing changes", () => {
    const tree = new FileTree(emptyState());
    tree.write("/a", new Uint8Array([1]));
    const { root } = tree.state();
    tree.read("/a");
    tree.list("/");
    expect(apply(tree, { do: "mkdir", path: "/no/folder" })).toBe(false);
    expect(tree.state().root).toBe(root);
    tree.chmod("/a", 0o600);
    expect(tree.state().root).not.toBe(root);
  });

  test("follows links as a kernel does", () => {
    const tree = new FileTree(emptyState());
    tree.mkdirs("/real/deep");
    tree.symlink("real", "/near");
    tree.symlink("/real/deep", "/real/far");
    tree.symlink("../real/./deep/..", "/real/up");
    tree.write("/near/far/file", new TextEncoder().encode("x"));
    expect(tree.realPath("/near/far/file")).toBe("/real/deep/file");
    expect(tree.realPath("/real/up/deep/../..")).toBe("/");
    expect(tree.lstat("/near").kind).toBe("link");
    expect(tree.stat("/near").kind).toBe("folder");
    tree.remove("/near");
    expect(Buffer.from(tree.read("/real/deep/file")).toString()).toBe("x");
    tree.symlink("loop", "/loop");
    expect(() => tree.read("/loop")).toThrow("ELOOP");
    tree.symlink("/made", "/dangling");
    expect(() => tree.read("/dangling")).toThrow("ENOENT");
    tree.write("/dangling", new Uint8Array([1]));
    expect(tree.lstat("/made").kind).toBe("file");
    expect(() => tree.read("/made/inside")).toThrow("ENOTDIR");
    expect(() => tree.read("/made/")).toThrow("ENOTDIR");
  });

  test("appends without copying what is there, and without changing what others see", () => {
    const tree = new FileTree(emptyState());
    tree.append("/log", new TextEncoder().encode("one"));
    for (let line = 0; line < 100; line++) tree.append("/log", new Uint8Array([65]));
    const before = tree.read("/log");
    const fork = new FileTree(tree.state());
    tree.append("/log", new TextEncoder().encode("tree"));
    fork.append("/log", new TextEncoder().encode("fork"));
    expect(Buffer.from(before).toString()).toBe(`one${"A".repeat(100)}`);
    expect(Buffer.from(tree.read("/log")).toString()).toBe(`one${"A".repeat(100)}tree`);
    expect(Buffer.from(fork.read("/log")).toString()).toBe(`one${"A".repeat(100)}fork`);
    expect(tree.read("/log").buffer).toBe(before.buffer);
  });
});
