import { joined } from "../../tree/path.ts";
import { type GitCall, GitError } from "../call.ts";
import { type Commit, subjectOf } from "../commit.ts";
import { letterOf } from "../diff/summaries.ts";
import { blobAt, blobs, EMPTY_TREE, type GitTree, isSameBlob, treeId, withEntry } from "../objects.ts";
import { parseOptions } from "../options.ts";
import { Pathspec } from "../pathspec.ts";
import { commitOf, findCommit, findTree } from "../revision.ts";
import { nodeAt } from "../text-files.ts";
import { compareFolder, compareTrees, workFile, writeFile, writeFiles } from "../worktree.ts";

const FLAGS = {
  "-q": "none",
  "--quiet": "none",
  "-f": "none",
  "--force": "none",
  "-b": "value",
  "-B": "value",
  "-c": "value",
  "-C": "value",
  "--detach": "none",
  "--orphan": "value",
} as const;

export function checkout(git: GitCall, args: readonly string[]): number {
  const { "-c": _c, "-C": _C, ...flagTable } = FLAGS;
  const { flags, words, paths } = parseOptions("checkout", args, flagTable);
  const [first, ...rest] = words;
  const isQuiet = flags.has("-q") || flags.has("--quiet");
  const newBranch = flags.get("-b") ?? flags.get("-B") ?? flags.get("--orphan");
  if (newBranch !== undefined) return makeBranch(git, newBranch, first, flags, isQuiet);
  const tree = first === undefined ? undefined : treeNamed(git, first, paths !== undefined);
  const given = [...(tree ? rest : words), ...(paths ?? [])];
  if (given.length > 0) return checkoutPaths(git, tree, given, isQuiet || paths !== undefined);
  if (first === undefined) return 0;
  return switchTo(git, first === "-" ? (git.repo.previous ?? "-") : first, flags, isQuiet);
}

export function switchBranch(git: GitCall, args: readonly string[]): number {
  const { "-b": _b, "-B": _B, ...flagTable } = FLAGS;
  const { flags, words } = parseOptions("switch", args, flagTable);
  const isQuiet = flags.has("-q") || flags.has("--quiet");
  const newBranch = flags.get("-c") ?? flags.get("-C") ?? flags.get("--orphan");
  if (newBranch !== undefined) return makeBranch(git, newBranch, words[0], flags, isQuiet);
  const [name] = words;
  if (name === undefined) throw new GitError("fatal: missing branch or commit argument");
  if (!flags.has("--detach") && name !== "-" && !git.repo.ref(`refs/heads/${name}`))
    throw new GitError(`fatal: invalid reference: ${name}`);
  return switchTo(git, name === "-" ? (git.repo.previous ?? "-") : name, flags, isQuiet);
}

/** A first word that is both is a revision. */
function treeNamed(git: GitCall, name: string, mustBe: boolean): GitTree | undefined {
  const tree = findTree(git.repo, name);
  if (tree || (!mustBe && nodeAt(git.tree, joined(git.cwd, name)))) return tree;
  if (!mustBe && !/^[0-9a-f]{40}$/.test(name)) return undefined;
  throw new GitError(
    /^[0-9a-f]{40}$/.test(name)
      ? `fatal: reference is not a tree: ${name}`
      : `fatal: invalid reference: ${name}`,
  );
}

/** Files of a tree, or of the index, take the place of those of the working tree. */
function checkoutPaths(
  git: GitCall,
  tree: GitTree | undefined,
  paths: readonly string[],
  isQuiet: boolean,
): number {
  const { repo } = git;
  const spec = new Pathspec(git, paths);
  const source = tree ?? repo.index;
  const all = [...blobs(source)].filter(([path]) => spec.has(path));
  const missing = spec.unmatched([...blobs(source)].map(([path]) => path));
  if (missing !== undefined)
    throw new GitError(`error: pathspec '${missing}' did not match any file(s) known to git`, 1);
  let index = repo.index;
  let numUpdated = 0;
  for (const [path, blob] of all) {
    const [staged, work] = [blobAt(index, path), workFile(repo, path)];
    const isThere = work && isSameBlob(work, blob);
    if (tree && !(staged && isSameBlob(staged, blob))) index = withEntry(index, path, blob);
    if (!isThere) writeFile(repo, path, blob);
    if (!isThere || (tree && !(staged && isSameBlob(staged, blob)))) numUpdated++;
  }
  if (tree && index !== repo.index) repo.index = index;
  if (!isQuiet) {
    const from = tree ? treeId(tree).slice(0, 7) : "the index";
    git.err(`Updated ${numUpdated} path${numUpdated === 1 ? "" : "s"} from ${from}`);
  }
  return 0;
}

function makeBranch(
  git: GitCall,
  name: string,
  start: string | undefined,
  flags: ReadonlyMap<string, string>,
  isQuiet: boolean,
): number {
  const { repo } = git;
  const full = `refs/heads/${name}`;
  if (!/^[\w./+-]+$/.test(name) || name.startsWith("-") || name.includes("..")) {
    throw new GitError(`fatal: '${name}' is not a valid branch name`);
  }
  if (repo.ref(full) && !flags.has("-B") && !flags.has("-C"))
    throw new GitError(`fatal: a branch named '${name}' already exists`);
  if (flags.has("--orphan")) repo.setHead(full);
  else {
    const from =
      start === undefined && repo.headId === undefined ? undefined : commitOf(repo, start ?? "HEAD");
    if (from && start !== undefined) moveFiles(git, from, flags);
    if (from) repo.setRef(full, from.id);
    repo.setHead(full);
  }
  if (!isQuiet) git.err(`Switched to a new branch '${name}'`);
  return 0;
}

function switchTo(git: GitCall, name: string, flags: ReadonlyMap<string, string>, isQuiet: boolean): number {
  const { repo } = git;
  const full = `refs/heads/${name}`;
  const isBranch = repo.ref(full) !== undefined && !flags.has("--detach");
  const commit = findCommit(repo, name);
  if (!commit) {
    if (/^[0-9a-f]{40}$/.test(name)) throw new GitError(`fatal: reference is not a tree: ${name}`);
    throw new GitError(`error: pathspec '${name}' did not match any file(s) known to git`, 1);
  }
  const wasOn = repo.branch;
  const left = wasOn === undefined ? repo.commit(repo.headId!) : undefined;
  if (commit.id !== repo.headId || flags.has("-f") || flags.has("--force")) moveFiles(git, commit, flags);
  if (!isBranch && name === "HEAD" && !flags.has("--detach")) return 0;
  repo.setHead(isBranch ? full : commit.id);
  if (isQuiet) return 0;
  if (left && left.id !== commit.id)
    git.err(`Previous HEAD position was ${left.id.slice(0, 7)} ${subjectOf(left)}`);
  if (isBranch) git.err(wasOn === full ? `Already on '${name}'` : `Switched to branch '${name}'`);
  else {
    if (wasOn !== undefined) git.err(detachedNote(name));
    git.err(`HEAD is now at ${commit.id.slice(0, 7)} ${subjectOf(commit)}`);
  }
  return 0;
}

/** The files that differ between HEAD and the commit change; those with edits of their own stay, or stop it all. */
function moveFiles(git: GitCall, commit: Commit, flags: ReadonlyMap<string, string>): void {
  const { repo } = git;
  const [head, index] = [repo.headTree, repo.index];
  if (flags.has("-f") || flags.has("--force")) {
    resetFiles(git, commit.tree);
    return;
  }
  const changes = compareTrees(head, commit.tree);
  const edited = new Set([
    ...compareTrees(head, index).map(({ path }) => path),
    ...compareFolder(index, repo.folder(), git.isSet("core.filemode", true)).map(({ path }) => path),
  ]);
  const same = ({ path, now }: (typeof changes)[number]): boolean => {
    const work = workFile(repo, path);
    return now ? work !== undefined && isSameBlob(work, now) : work === undefined;
  };
  const lost = changes.filter((change) => edited.has(change.path) && !same(change)).map(({ path }) => path);
  if (lost.length > 0) {
    throw new GitError(
      `error: Your local changes to the following files would be overwritten by checkout:\n${lost.map((path) => `\t${path}\n`).join("")}Please commit your changes or stash them before you switch branches.\nAborting`,
      1,
    );
  }
  const inTheWay = changes.filter(
    ({ path, old, now }) =>
      !old && now && !blobAt(index, path) && workFile(repo, path) && !same({ path, old, now }),
  );
  if (inTheWay.length > 0) {
    throw new GitError(
      `error: The following untracked working tree files would be overwritten by checkout:\n${inTheWay.map(({ path }) => `\t${path}\n`).join("")}Please move or remove them before you switch branches.\nAborting`,
      1,
    );
  }
  writeFiles(repo, changes);
  repo.index = changes.reduce((tree, { path, now }) => withEntry(tree, path, now), index);
  for (const change of compareTrees(commit.tree, repo.index)) git.line(`${letterOf(change)}\t${change.path}`);
  for (const change of compareFolder(repo.index, repo.folder(), git.isSet("core.filemode", true))) {
    if (
      edited.has(change.path) &&
      !compareTrees(commit.tree, repo.index).some(({ path }) => path === change.path)
    ) {
      git.line(`${letterOf(change)}\t${change.path}`);
    }
  }
}

/** Makes the index and all files in it those of a tree; files that git does not know stay. */
export function resetFiles(git: GitCall, tree: GitTree): void {
  const { repo } = git;
  const old = compareTrees(repo.index, tree).filter(({ now }) => !now);
  writeFiles(repo, old);
  const wrong = compareFolder(tree, repo.folder(), true).map(({ path, old: blob }) => ({ path, now: blob }));
  writeFiles(repo, wrong);
  repo.index = tree === EMPTY_TREE ? { ...EMPTY_TREE } : tree;
}

function detachedNote(name: string): string {
  return `Note: switching to '${name}'.

You are in 'detached HEAD' state. You can look around, make experimental
changes and commit them, and you can discard any commits you make in this
state without impacting any branches by switching back to a branch.

If you want to create a new branch to retain commits you create, you may
do so (now or later) by using -c with the switch command. Example:

  git switch -c <new-branch-name>

Or undo this operation with:

  git switch -

Turn off this advice by setting config variable advice.detachedHead to false
`;
}
