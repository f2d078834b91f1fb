import { joined } from "../../tree/path.ts";
import { type GitCall, GitError } from "../call.ts";
import { DIFF_FLAGS, showChanges, shownForms } from "../diff/options.ts";
import type { ShownChange } from "../diff/renames.ts";
import { historyOf } from "../history.ts";
import { type Blob, EMPTY_TREE, entryAt, type GitTree } from "../objects.ts";
import { type Options, parseOptions } from "../options.ts";
import { Pathspec } from "../pathspec.ts";
import { commitOf, findEntry, findTree, unknownRevision } from "../revision.ts";
import { nodeAt } from "../text-files.ts";
import { blobOf, type Change, compareFolder, compareTrees } from "../worktree.ts";

export function diff(git: GitCall, args: readonly string[]): number {
  const options = parseOptions("diff", args, {
    ...DIFF_FLAGS,
    "--cached": "none",
    "--staged": "none",
    "--exit-code": "none",
    "--quiet": "none",
    "-q": "none",
    "--no-index": "none",
    "--merge-base": "none",
  });
  const { flags } = options;
  const changes = flags.has("--no-index") || !git.hasRepo ? twoFiles(git, options) : changesOf(git, options);
  const isQuiet = flags.has("--quiet") || flags.has("-q");
  const any = isQuiet ? changes.length > 0 : showChanges(git, changes, options, shownForms(options, "patch"));
  return any && (isQuiet || flags.has("--exit-code") || flags.has("--no-index") || !git.hasRepo) ? 1 : 0;
}

function changesOf(git: GitCall, options: Options): Change[] {
  const { flags } = options;
  const { repo } = git;
  const { trees, paths } = splitWords(git, options);
  const spec = new Pathspec(git, paths);
  const withMode = git.isSet("core.filemode", true);
  const all = (): Change[] => {
    const [first, second] = trees;
    if (flags.has("--cached") || flags.has("--staged"))
      return compareTrees(first ?? repo.headTree, repo.index);
    if (first && second) return compareTrees(first, second);
    if (!first) return compareFolder(repo.index, repo.folder(), withMode);
    return againstFolder(git, first, withMode);
  };
  return all().filter(({ path }) => spec.has(path));
}

/** A commit against the working tree: of files that the index has or the commit had. */
function againstFolder(git: GitCall, tree: GitTree, withMode: boolean): Change[] {
  const { repo } = git;
  const { index } = repo;
  const work = new Map(compareFolder(index, repo.folder(), withMode).map((change) => [change.path, change]));
  const changes = new Map(compareTrees(tree, index).map((change) => [change.path, change]));
  for (const { path, now } of work.values()) {
    const entry = entryAt(tree, path);
    changes.set(path, { path, old: entry?.kind === "blob" ? entry : undefined, now });
  }
  return [...changes.values()]
    .filter(({ old, now }) => old || now)
    .filter(({ old, now }) => !(old && now && isSame(old, now, withMode)));
}

function isSame(old: Blob, now: Blob, withMode: boolean): boolean {
  return (old.mode === now.mode || !withMode) && Buffer.compare(old.content, now.content) === 0;
}

/** The revisions come first, then the paths, with `--` between them or not. */
function splitWords(git: GitCall, { words, paths }: Options): { trees: GitTree[]; paths: string[] } {
  const { repo } = git;
  const trees: GitTree[] = [];
  const rest = [...words];
  while (rest.length > 0) {
    const word = rest[0]!;
    const range = /^(.*?)(\.{2,3})(.*)$/s.exec(word);
    const found =
      range && !nodeAt(git.tree, joined(git.cwd, word))
        ? rangeOf(git, range[1]!, range[2]!, range[3]!)
        : undefined;
    const tree = found ? undefined : findTree(repo, word);
    if (!found && !tree) break;
    trees.push(...(found ?? [tree!]));
    rest.shift();
  }
  const [first] = rest;
  if (first !== undefined && paths !== undefined) {
    throw new GitError(
      /^[0-9a-f]{40}$/.test(first) ? `fatal: bad object ${first}` : `fatal: bad revision '${first}'`,
    );
  }
  const missing = rest.find((word) => !nodeAt(git.tree, joined(git.cwd, word)) && !/[*?[:]/.test(word));
  if (missing !== undefined) {
    throw new GitError(
      /^[0-9a-f]{40}$/.test(missing) ? `fatal: bad object ${missing}` : unknownRevision(missing),
    );
  }
  if (trees.length > 2)
    throw new GitError("error: this git of the sandbox compares two revisions at most", 129);
  return { trees, paths: [...rest, ...(paths ?? [])] };
}

function rangeOf(git: GitCall, from: string, dots: string, to: string): GitTree[] {
  const { repo } = git;
  const [one, other] = [commitOf(repo, from || "HEAD"), commitOf(repo, to || "HEAD")];
  if (dots === "..") return [one.tree, other.tree];
  const theirs = new Set(historyOf(repo, [other.id]).map(({ id }) => id));
  const base = historyOf(repo, [one.id]).find(({ id }) => theirs.has(id));
  if (!base) throw new GitError(`fatal: ${from}...${to}: no merge base`);
  return [base.tree, other.tree];
}

/** Two files, of the working tree or elsewhere, or two blobs. */
function twoFiles(git: GitCall, { words, paths = [] }: Options): Change[] {
  const [one, other, more] = [...words, ...paths];
  if (one === undefined || other === undefined || more !== undefined) {
    throw new GitError("usage: git diff --no-index [<options>] <path> <path>", 129);
  }
  const read = (path: string): Blob | GitTree | undefined => {
    if (path === "/dev/null") return undefined;
    const node = nodeAt(git.tree, joined(git.cwd, path));
    if (node && node.kind !== "folder") return blobOf(node);
    const entry = git.hasRepo ? findEntry(git.repo, path) : undefined;
    if (entry) return entry;
    if (node)
      throw new GitError(
        "error: this git of the sandbox compares two files with --no-index, no folders",
        129,
      );
    throw new GitError(`error: Could not access '${path}'`, 1);
  };
  const [old, now] = [read(one), read(other)];
  if (old?.kind === "tree" || now?.kind === "tree")
    return compareTrees(old?.kind === "tree" ? old : EMPTY_TREE, now?.kind === "tree" ? now : EMPTY_TREE);
  if (old && now && isSame(old, now, true)) return [];
  const from = one === "/dev/null" || one === other ? undefined : one.replace(/^\//, "");
  const path = (other === "/dev/null" ? one : other).replace(/^\//, "");
  return [{ path, old, now, ...(from !== undefined && now && { from, isOther: true }) } as ShownChange];
}
