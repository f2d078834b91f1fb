import { type GitCall, GitError } from "../call.ts";
import { makeCommit } from "../commit.ts";
import { DIFF_FLAGS, shownForms } from "../diff/options.ts";
import { type Entry, idOf, sorted, treeId } from "../objects.ts";
import { parseOptions } from "../options.ts";
import { Pathspec } from "../pathspec.ts";
import { quotedPath } from "../quote.ts";
import { commitOf, findCommit, findEntry, findTree } from "../revision.ts";
import { formatOf } from "../show-commit.ts";
import { SHOW_FLAGS, showOne } from "./log.ts";

export function show(git: GitCall, args: readonly string[]): number {
  const options = parseOptions("show", args, {
    ...SHOW_FLAGS,
    ...DIFF_FLAGS,
    "-q": "none",
    "--quiet": "none",
  });
  const { flags, words, paths = [] } = options;
  const { repo } = git;
  const forms = flags.has("-q") || flags.has("--quiet") ? new Set<string>() : shownForms(options, "patch");
  const given = words.length > 0 ? words : ["HEAD"];
  if (repo.headId === undefined && words.length === 0) {
    throw new GitError(
      `fatal: your current branch '${repo.branch!.replace("refs/heads/", "")}' does not have any commits yet`,
    );
  }
  let numShown = 0;
  for (const word of given) {
    const entry = findEntryNamed(git, word);
    if (entry?.kind === "blob") git.out(entry.content);
    else if (entry) {
      git.out(
        `tree ${word}\n\n${sorted(entry)
          .map(([name, child]) => `${quotedPath(name)}${child.kind === "tree" ? "/" : ""}\n`)
          .join("")}`,
      );
    } else {
      const format = formatOf(options);
      if (numShown++ > 0 && format !== "oneline") git.out("\n");
      showOne(git, commitOf(repo, word), options, format, forms, new Pathspec(git, paths));
    }
  }
  return 0;
}

/** @throws {GitError} if a commit is there and the path is not. */
function findEntryNamed(git: GitCall, word: string): Entry | undefined {
  const { repo } = git;
  const at = word.indexOf(":");
  const relative =
    at !== -1 && /^\.{1,2}\//.test(word.slice(at + 1))
      ? word.slice(0, at + 1) + git.prefix + word.slice(at + 3)
      : word;
  if (findCommit(repo, relative)) return undefined;
  const entry = findEntry(repo, relative);
  if (entry || at === -1) return entry;
  const [rev, path] = [relative.slice(0, at), relative.slice(at + 1)];
  if (rev !== "" && !findTree(repo, rev)) throw new GitError(`fatal: invalid object name '${rev}'.`);
  throw new GitError(
    rev === ""
      ? `fatal: path '${path}' does not exist (neither on disk nor in the index)`
      : `fatal: path '${path}' does not exist in '${rev}'`,
  );
}

export function catFile(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("cat-file", args, {
    "-t": "none",
    "-s": "none",
    "-e": "none",
    "-p": "none",
  });
  const [name] = words.slice(-1);
  if (name === undefined || words.length > 2)
    throw new GitError("usage: git cat-file (-t | -s | -e | -p) <object>", 129);
  const commit = findCommit(git.repo, name);
  const entry = commit ? undefined : (findEntry(git.repo, name) ?? findTree(git.repo, name));
  if (!commit && !entry) {
    if (flags.has("-e") && /^[0-9a-f]{40}$/.test(name)) return 1;
    throw new GitError(`fatal: Not a valid object name ${name}`);
  }
  if (flags.has("-e")) return 0;
  const type = commit ? "commit" : entry!.kind;
  const content = commit
    ? makeCommit(commit).raw
    : entry!.kind === "blob"
      ? entry!.content
      : Buffer.from(listing(entry!));
  if (flags.has("-t")) git.line(type);
  else if (flags.has("-s")) git.line(String(content.length));
  else git.out(content);
  return 0;
}

function listing(entry: Entry): string {
  if (entry.kind === "blob") return "";
  return sorted(entry)
    .map(([name, child]) => `${rowOf(child)}\t${quotedPath(name)}\n`)
    .join("");
}

function rowOf(entry: Entry): string {
  return entry.kind === "tree" ? `040000 tree ${treeId(entry)}` : `${entry.mode} blob ${idOf(entry)}`;
}

export function lsTree(git: GitCall, args: readonly string[]): number {
  const {
    flags,
    words,
    paths = [],
  } = parseOptions("ls-tree", args, { "-r": "none", "--name-only": "none", "-d": "none" });
  const [name, ...given] = words;
  const tree = name === undefined ? undefined : findTree(git.repo, name);
  if (!tree) throw new GitError(`fatal: Not a valid object name ${name}`);
  const spec = new Pathspec(git, [...given, ...paths]);
  const visit = (entry: Entry, prefix: string): void => {
    if (entry.kind === "blob") return;
    for (const [child, inner] of sorted(entry)) {
      const path = prefix + child;
      if (inner.kind === "tree" && flags.has("-r")) visit(inner, `${path}/`);
      else if (spec.has(path) && !(flags.has("-d") && inner.kind === "blob")) {
        git.line(flags.has("--name-only") ? quotedPath(path) : `${rowOf(inner)}\t${quotedPath(path)}`);
      }
    }
  };
  visit(tree, "");
  return 0;
}
