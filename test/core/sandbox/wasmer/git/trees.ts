import fc from "fast-check";
import { type GitEnd, git } from "../../../../../core/sandbox/wasmer/git/git.ts";
import { emptyState, FileTree } from "../../../../../core/sandbox/wasmer/tree/file-tree.ts";
import { ENV } from "./host.ts";

export interface File {
  readonly content: Uint8Array;
  readonly mode: "file" | "program" | "link";
}

/** Path to file. */
export type Files = Map<string, File>;

export const ROOT = "/testbed";

const path = fc.constantFrom(
  "a",
  "b c",
  "q\"u\\o'te",
  "ünï→",
  "d",
  "d/e.py",
  "d/f/g",
  "d/f/h i",
  "t\tab",
  "line\nend",
  "-dash",
  "[x]*?",
  "#hash",
  " lead",
  "trail ",
  "bell\u0001",
);

const line = fc.constantFrom(
  "",
  "x",
  "def f():",
  "    return 1",
  "+",
  "-",
  " ",
  "@@ -1 +1 @@",
  "diff --git a/a b/a",
  "ü",
  "\r",
  "-- ",
  "--- a/a",
  "+++ b/a",
  "\\ No newline at end of file",
);
const ending = fc.constantFrom("\n", "\n", "\n", "\r\n");
const text = fc
  .tuple(fc.array(fc.tuple(line, ending), { maxLength: 30 }), fc.constantFrom("", "", "last", "\r"))
  .map(([lines, last]) => new Uint8Array(Buffer.from(lines.flat().join("") + last)));
const bytes = fc.uint8Array({ maxLength: 300 }).map((content) => Uint8Array.from([...content, 0, 255]));
const content = fc.oneof({ weight: 5, arbitrary: text }, bytes, fc.constant(new Uint8Array()));

const file: fc.Arbitrary<File> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      content,
      mode: fc.constantFrom("file" as const, "file" as const, "program" as const),
    }),
  },
  fc
    .constantFrom("a", "no where", "ünï/x")
    .map((to) => ({ content: new Uint8Array(Buffer.from(to)), mode: "link" as const })),
);

/** No name is both a file and a folder; none that is a folder at another time is a link, at which real git stumbles. */
function possible(entries: readonly (readonly [string, File])[]): Files {
  const files: Files = new Map();
  for (const [name, value] of entries) {
    const clashes = [...files.keys()].some(
      (other) => other.startsWith(`${name}/`) || name.startsWith(`${other}/`),
    );
    if (!clashes && !(name === "d" && value.mode === "link")) files.set(name, value);
  }
  return new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)));
}

export const files: fc.Arbitrary<Files> = fc.array(fc.tuple(path, file), { maxLength: 8 }).map(possible);

type Edit = (before: Files) => Files;

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(path, file).map(
    ([name, value]) =>
      (before: Files) =>
        possible([[name, value], ...before]),
  ),
  fc
    .nat()
    .map(
      (at) => (before: Files) =>
        new Map([...before].filter((_, index) => index !== at % Math.max(1, before.size))),
    ),
  fc
    .tuple(fc.nat(), fc.nat(), fc.array(line, { maxLength: 3 }), fc.nat(4))
    .map(([which, from, lines, numGone]) => (before: Files) => {
      const [name, old] = [...before][which % Math.max(1, before.size)] ?? [];
      if (name === undefined || !old || old.mode === "link") return before;
      const all = Buffer.from(old.content).toString("latin1").split("\n");
      all.splice(from % all.length, numGone, ...lines);
      return new Map(before).set(name, {
        ...old,
        content: new Uint8Array(Buffer.from(all.join("\n"), "latin1")),
      });
    }),
  fc.tuple(fc.nat(), path).map(([which, to]) => (before: Files) => {
    const [name, old] = [...before][which % Math.max(1, before.size)] ?? [];
    if (name === undefined || !old) return before;
    return possible([...[...before].filter(([other]) => other !== name), [to, old]]);
  }),
  fc.nat().map((which) => (before: Files) => {
    const [name, old] = [...before][which % Math.max(1, before.size)] ?? [];
    if (name === undefined || !old || old.mode === "link") return before;
    return new Map(before).set(name, { ...old, mode: old.mode === "file" ? "program" : "file" });
  }),
);

/** Files before and after some edits. */
export const pair: fc.Arbitrary<readonly [Files, Files]> = fc
  .tuple(files, fc.array(edit, { minLength: 1, maxLength: 5 }))
  .map(([before, edits]) => [before, edits.reduce((now, change) => change(now), before)]);

/** A sandbox's tree with these files, and nothing else but `.git`. */
export function writeTree(tree: FileTree, all: Files): void {
  tree.mkdirs(ROOT);
  for (const name of [...tree.list(ROOT).keys()]) if (name !== ".git") tree.remove(`${ROOT}/${name}`, true);
  for (const [name, { content: bytes_, mode }] of all) {
    const full = `${ROOT}/${name}`;
    tree.mkdirs(full.slice(0, full.lastIndexOf("/")));
    if (mode === "link") tree.symlink(Buffer.from(bytes_).toString(), full);
    else {
      tree.write(full, bytes_);
      tree.chmod(full, mode === "program" ? 0o755 : 0o644);
    }
  }
}

export function treeOf(all: Files): FileTree {
  const tree = new FileTree(emptyState());
  writeTree(tree, all);
  return tree;
}

export function readTree(tree: FileTree): Files {
  const found: Files = new Map();
  const visit = (prefix: string): void => {
    for (const [name, node] of tree.list(`${ROOT}/${prefix}`)) {
      const full = prefix + name;
      if (full === ".git") continue;
      if (node.kind === "folder") visit(`${full}/`);
      else if (node.kind === "link") found.set(full, { content: Buffer.from(node.target), mode: "link" });
      else found.set(full, { content: node.content, mode: node.mode & 0o100 ? "program" : "file" });
    }
  };
  visit("");
  return found;
}

/** For comparing: sorted, contents as text of bytes. */
export function shown(all: Files): string[] {
  return [...all]
    .map(([name, { content: bytes_, mode }]) => `${name} ${mode} ${Buffer.from(bytes_).toString("latin1")}`)
    .sort();
}

/** Runs our git. */
export function ours(tree: FileTree, args: readonly string[], stdin: Uint8Array = new Uint8Array()): GitEnd {
  return git(args, { tree, cwd: ROOT, env: { ...ENV, HOME: "/home" }, stdin });
}

/** A tree with a repository, in which these files are committed. */
export function committed(all: Files): FileTree {
  const tree = treeOf(all);
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "-m", "base", "--allow-empty"],
  ])
    ours(tree, args);
  return tree;
}
