import { type GitCall, GitError } from "../call.ts";
import { subjectOf } from "../commit.ts";
import { person } from "../identity.ts";
import { blobs, isSameBlob } from "../objects.ts";
import { parseOptions } from "../options.ts";
import { Pathspec } from "../pathspec.ts";
import { commitOf } from "../revision.ts";
import { parentTree } from "../show-commit.ts";
import { compareTrees, staged, untracked, workFile, writeFiles } from "../worktree.ts";
import { walkOf } from "./add.ts";
import { resetFiles } from "./checkout.ts";

const REF = "refs/stash";

/**
 * `stash`, `stash push`, `pop`, `apply`, `list`, `drop`, `clear`, each for the newest. Files that differ from what
 * they were when they were stashed are not merged: it is refused.
 */
export function stash(git: GitCall, args: readonly string[]): number {
  const [word = "push", ...rest] = args;
  if (word.startsWith("-")) return push(git, args);
  if (word === "push" || word === "save") return push(git, rest);
  if (word === "pop" || word === "apply") return take(git, rest, word === "pop");
  if (word === "list") return list(git);
  if (word === "drop") return drop(git, rest);
  if (word === "clear") {
    if (git.repo.ref(REF)) git.repo.deleteRef(REF);
    return 0;
  }
  throw new GitError(`error: this git of the sandbox does not have 'stash ${word}'`, 129);
}

function push(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("stash push", args, {
    "-u": "none",
    "--include-untracked": "none",
    "-m": "value",
    "--message": "value",
    "-q": "none",
    "--quiet": "none",
  });
  const { repo } = git;
  if (repo.headId === undefined) throw new GitError("You do not have the initial commit yet", 1);
  const head = commitOf(repo, "HEAD");
  const spec = new Pathspec(git, []);
  const folder = repo.folder();
  const isFresh = flags.has("-u") || flags.has("--include-untracked");
  const tracked = new Set([...blobs(repo.index)].map(([path]) => path));
  const walk = walkOf(git, spec);
  const work = staged(repo.index, folder, isFresh ? walk : { ...walk, has: (path) => tracked.has(path) });
  const fresh = isFresh ? untracked(repo.index, folder, walk, true) : [];
  if (compareTrees(head.tree, work).length === 0 && compareTrees(head.tree, repo.index).length === 0) {
    git.line("No local changes to save");
    return 0;
  }
  const branch = repo.branch?.replace("refs/heads/", "") ?? "(no branch)";
  const given = flags.get("-m") ?? flags.get("--message") ?? words[0];
  const message =
    given === undefined
      ? `WIP on ${branch}: ${head.id.slice(0, 7)} ${subjectOf(head)}`
      : `On ${branch}: ${given}`;
  const older = repo.ref(REF);
  const made = repo.addCommit({
    tree: work,
    parents: [head.id, ...(older === undefined ? [] : [older])],
    author: person(git, "author"),
    committer: person(git, "committer"),
    message: `${message}\n`,
  });
  repo.setRef(REF, made.id);
  writeFiles(
    repo,
    fresh.map((path) => ({ path })),
  );
  resetFiles(git, head.tree);
  if (!flags.has("-q") && !flags.has("--quiet"))
    git.line(`Saved working directory and index state ${message}`);
  return 0;
}

function top(git: GitCall, args: readonly string[]): ReturnType<typeof commitOf> {
  const { words } = parseOptions("stash", args, { "-q": "none", "--quiet": "none", "--index": "none" });
  if (words.some((word) => !/^(stash@\{0\}|0)$/.test(word)))
    throw new GitError("error: this git of the sandbox takes the newest stash only", 129);
  const id = git.repo.ref(REF);
  if (id === undefined) throw new GitError("No stash entries found.", 1);
  return commitOf(git.repo, id);
}

function take(git: GitCall, args: readonly string[], drops: boolean): number {
  const { repo } = git;
  const commit = top(git, args);
  const changes = compareTrees(parentTree(repo, commit), commit.tree);
  const edited = changes.filter(({ path, old }) => {
    const work = workFile(repo, path);
    return old ? !work || !isSameBlob(old, work) : work !== undefined;
  });
  if (edited.length > 0) {
    throw new GitError(
      `error: Your local changes to the following files would be overwritten by merge:\n${edited.map(({ path }) => `\t${path}\n`).join("")}Please commit your changes or stash them before you merge.\nAborting\nThe stash entry is kept in case you need it again.`,
      1,
    );
  }
  writeFiles(repo, changes);
  if (drops) drop(git, args);
  return 0;
}

function drop(git: GitCall, args: readonly string[]): number {
  const { id, parents } = top(git, args);
  const older = parents[1];
  if (older === undefined) git.repo.deleteRef(REF);
  else git.repo.setRef(REF, older);
  if (!args.includes("-q") && !args.includes("--quiet")) git.line(`Dropped refs/stash@{0} (${id})`);
  return 0;
}

function list(git: GitCall): number {
  let id = git.repo.ref(REF);
  for (let at = 0; id !== undefined; at++) {
    const commit: ReturnType<typeof commitOf> = commitOf(git.repo, id);
    git.line(`stash@{${at}}: ${subjectOf(commit)}`);
    id = commit.parents[1];
  }
  return 0;
}
