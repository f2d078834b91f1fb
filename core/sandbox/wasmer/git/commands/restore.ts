import { type GitCall, GitError } from "../call.ts";
import { subjectOf } from "../commit.ts";
import { letterOf } from "../diff/summaries.ts";
import { blobAt, blobs, byBytes, isSameBlob, withEntry } from "../objects.ts";
import { parseOptions } from "../options.ts";
import { fromHere, Pathspec } from "../pathspec.ts";
import { commitOf, findTree } from "../revision.ts";
import { compareFolder, compareTrees, removeFile, workFile, writeFile } from "../worktree.ts";
import { resetFiles } from "./checkout.ts";

export function restore(git: GitCall, args: readonly string[]): number {
  const {
    flags,
    words,
    paths = [],
  } = parseOptions("restore", args, {
    "-s": "value",
    "--source": "value",
    "-S": "none",
    "--staged": "none",
    "-W": "none",
    "--worktree": "none",
    "-q": "none",
    "--quiet": "none",
  });
  const { repo } = git;
  const given = [...words, ...paths];
  if (given.length === 0) throw new GitError("fatal: you must specify path(s) to restore");
  const isStaged = flags.has("-S") || flags.has("--staged");
  const isWork = flags.has("-W") || flags.has("--worktree") || !isStaged;
  const name = flags.get("-s") ?? flags.get("--source");
  const named = name === undefined ? undefined : findTree(repo, name);
  if (name !== undefined && !named) throw new GitError(`fatal: could not resolve ${name}`);
  const source = named ?? (isStaged ? repo.headTree : repo.index);
  const spec = new Pathspec(git, given);
  const known = new Set([...blobs(source), ...blobs(repo.index)].map(([path]) => path));
  const missing = spec.unmatched([...known]);
  if (missing !== undefined)
    throw new GitError(`error: pathspec '${missing}' did not match any file(s) known to git`, 1);
  let index = repo.index;
  for (const path of [...known].filter((each) => spec.has(each))) {
    const [blob, staged, work] = [blobAt(source, path), blobAt(index, path), workFile(repo, path)];
    const isSame = blob && staged ? isSameBlob(blob, staged) : blob === staged;
    if (isStaged && !isSame) index = withEntry(index, path, blob);
    if (!isWork) continue;
    if (!blob && work) removeFile(repo, path);
    else if (blob && !(work && isSameBlob(blob, work))) writeFile(repo, path, blob);
  }
  if (isStaged && index !== repo.index) repo.index = index;
  return 0;
}

export function reset(git: GitCall, args: readonly string[]): number {
  const { flags, words, paths } = parseOptions("reset", args, {
    "--hard": "none",
    "--soft": "none",
    "--mixed": "none",
    "-q": "none",
    "--quiet": "none",
  });
  const { repo } = git;
  const isQuiet = flags.has("-q") || flags.has("--quiet");
  const [first, ...rest] = words;
  const tree = first === undefined ? undefined : findTree(repo, first);
  const given = [...(tree ? rest : words), ...(paths ?? [])];
  if (given.length > 0) {
    if (flags.has("--hard") || flags.has("--soft")) {
      throw new GitError(`fatal: Cannot do ${flags.has("--hard") ? "hard" : "soft"} reset with paths.`);
    }
    const spec = new Pathspec(git, given);
    const source = tree ?? repo.headTree;
    const changes = compareTrees(repo.index, source).filter(({ path }) => spec.has(path));
    const known = [...blobs(repo.index), ...blobs(source)].map(([path]) => path);
    const missing = spec.unmatched(known);
    if (missing !== undefined && paths === undefined && tree === undefined) {
      throw new GitError(
        `fatal: ambiguous argument '${missing}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
      );
    }
    if (changes.length > 0)
      repo.index = changes.reduce((index, { path, now }) => withEntry(index, path, now), repo.index);
    if (!isQuiet) sayUnstaged(git);
    return 0;
  }
  if (repo.headId === undefined && first === undefined) {
    if (flags.has("--hard")) resetFiles(git, repo.headTree);
    else if (!flags.has("--soft")) repo.index = repo.headTree;
    return 0;
  }
  const commit = commitOf(repo, first ?? "HEAD");
  if (repo.headId !== undefined) repo.setRef("ORIG_HEAD", repo.headId);
  if (flags.has("--hard")) resetFiles(git, commit.tree);
  else if (!flags.has("--soft")) repo.index = commit.tree;
  repo.moveHead(commit.id);
  if (flags.has("--hard") && !isQuiet)
    git.line(`HEAD is now at ${commit.id.slice(0, 7)} ${subjectOf(commit)}`);
  else if (!flags.has("--soft") && !isQuiet) sayUnstaged(git);
  return 0;
}

function sayUnstaged(git: GitCall): void {
  const { repo } = git;
  const changes = compareFolder(repo.index, repo.folder(), git.isSet("core.filemode", true));
  if (changes.length === 0) return;
  git.line("Unstaged changes after reset:");
  for (const change of changes.sort((one, other) => byBytes(one.path, other.path))) {
    git.line(`${letterOf(change)}\t${fromHere(git, change.path)}`);
  }
}
