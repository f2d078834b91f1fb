import { access, realpath, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { SimpleGit } from "simple-git";
import { InputError } from "../../../core/errors.ts";
import { gitIn, wordsOf } from "./git.ts";
import { obtainCommit, packCommit } from "./obtain.ts";
import type { Source } from "./source.ts";

export const BRANCH = "refs/heads/main";

interface BuildOptions {
  readonly commit: string;
  readonly hide: readonly string[];
  readonly single: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fills an empty folder with a repository at the commit: one branch, no remote, and no object that cannot be reached
 * from it. Nothing is pruned, because nothing else is ever fetched; that it is so is checked in the end.
 */
export async function build(
  folder: string,
  source: Source,
  { commit, hide, single, signal }: BuildOptions,
): Promise<void> {
  const git = gitIn(folder, { signal });
  await git.raw(["init", "--quiet", "--template=", `--initial-branch=${BRANCH.slice("refs/heads/".length)}`]);
  const isQuick = source.isMirror && !single && !(await isShallow(source));
  if (isQuick) await packCommit(folder, source, commit, { signal });
  else await obtainCommit(folder, source, commit, { single, signal });
  const kind = (await git.raw(["cat-file", "-t", commit])).trim();
  if (kind !== "commit") {
    throw new InputError(`prepare: expected a commit as \`baseCommit\`, got the ${kind} ${commit}`);
  }
  await git.raw(["update-ref", BRANCH, commit]);
  await git.raw(["checkout", "--quiet", "--force", "main", "--"]);
  await hideFiles(folder, git, hide);
  await checkPruned(git, source);
}

function isShallow({ address }: Source): Promise<boolean> {
  return access(join(address, "shallow")).then(
    () => true,
    () => false,
  );
}

/**
 * Removes files that the commit has, so that git sees no change: no `git add -A` takes the removal into a patch, and
 * `git checkout <base> -- <file>` brings them back, as eval scripts do. (With `--skip-worktree` it would not.)
 * What the commit has of them stays readable in the history.
 */
async function hideFiles(folder: string, git: SimpleGit, hide: readonly string[]): Promise<void> {
  if (hide.length === 0) return;
  const tracked = (await git.raw(["ls-files", "-z", "--", ...hide])).split("\0").slice(0, -1);
  if (tracked.length === 0) return;
  await git.raw(["update-index", "--assume-unchanged", "--", ...tracked]);
  const top = await realpath(folder);
  for (const name of tracked) {
    // On a disk that does not tell A from a, a link may stand where the commit has a folder.
    const parent = await realpath(dirname(join(folder, name))).catch(() => undefined);
    if (parent !== undefined && `${parent}${sep}`.startsWith(`${top}${sep}`))
      await rm(join(folder, name), { force: true });
  }
}

/** Looks whether a server sent more than it was asked for, and throws that away. */
async function checkPruned(git: SimpleGit, source: Source): Promise<void> {
  if ((await unreachable(git, source)) === 0) return;
  await git.raw(["repack", "-a", "-d", "--quiet"]);
  await git.raw(["prune", "--expire=now"]);
  const left = await unreachable(git, source);
  if (left > 0) throw new InputError(`prepare: ${left} objects of ${source.shown} cannot be pruned`);
}

async function unreachable(git: SimpleGit, source: Source): Promise<number> {
  try {
    const flags = ["--unreachable", "--no-reflogs", "--no-dangling", "--connectivity-only", "--no-progress"];
    return (await git.raw(["fsck", ...flags])).split("\n").filter((line) => line.startsWith("unreachable"))
      .length;
  } catch (error) {
    throw new InputError(
      `prepare: the history of ${source.shown} is not whole: ${wordsOf(error)}; use a full clone`,
    );
  }
}
