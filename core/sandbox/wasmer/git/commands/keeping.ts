import { type GitCall, GitError } from "../call.ts";
import { historyOf } from "../history.ts";
import { parseOptions } from "../options.ts";

/** Commits that nothing leads to go at once: there is no log of refs that would keep them. */
export function gc(git: GitCall, args: readonly string[]): number {
  parseOptions("gc", args, {
    "--prune": "inline",
    "--aggressive": "none",
    "-q": "none",
    "--quiet": "none",
    "--auto": "none",
  });
  const { repo } = git;
  const { headId } = repo;
  const starts = [...repo.refs().map(([, id]) => id), ...(headId === undefined ? [] : [headId])];
  const kept = new Set(historyOf(repo, starts).map(({ id }) => id));
  for (const id of repo.commitIds()) if (!kept.has(id)) repo.removeCommit(id);
  return 0;
}

/** There is no log of refs; so there is nothing to show, and nothing to expire. */
export function reflog(_git: GitCall, args: readonly string[]): number {
  const [word, ...rest] = args;
  if (word === "expire") {
    parseOptions("reflog expire", rest, {
      "--expire": "value",
      "--expire-unreachable": "value",
      "--all": "none",
    });
  } else if (word !== undefined && word !== "show") {
    throw new GitError(`error: this git of the sandbox keeps no reflog: '${word}' is not there`, 129);
  }
  return 0;
}

/** There are no remotes: a sandbox has no network. */
export function remote(git: GitCall, args: readonly string[]): number {
  const [word, name] = args;
  void git.repo;
  if (word === undefined || word === "-v" || word === "show") return 0;
  if (["remove", "rm", "get-url", "set-url", "rename"].includes(word))
    throw new GitError(`error: No such remote: '${name}'`, 2);
  throw new GitError(`error: this git of the sandbox has no remotes: 'remote ${word}' is not there`, 1);
}
