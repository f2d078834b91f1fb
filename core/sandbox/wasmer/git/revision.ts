import { GitError } from "./call.ts";
import type { Commit } from "./commit.ts";
import { historyOf } from "./history.ts";
import { EMPTY_TREE, type Entry, entryAt, type GitTree, idOf } from "./objects.ts";
import type { Repository } from "./repository.ts";

export const EMPTY_TREE_ID = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** The commit that a name stands for: `HEAD~2`, a branch, a tag, an id or its beginning; undefined if it is none. */
export function findCommit(repo: Repository, name: string): Commit | undefined {
  const steps = /^(.*?)((?:~\d*|\^\d*|\^\{(?:commit)?\})*)$/s.exec(name)!;
  const base = baseOf(repo, steps[1] === "" || steps[1] === "@" ? "HEAD" : steps[1]!);
  let commit = base === undefined ? undefined : repo.commit(base);
  for (const [, kind, count] of steps[2]!.matchAll(/([~^])(\d*)(?!\{)/g)) {
    const number = count === "" ? 1 : Number(count);
    if (kind === "^" && number > 0) commit = parentOf(repo, commit, number - 1);
    if (kind === "~") for (let step = 0; step < number; step++) commit = parentOf(repo, commit, 0);
  }
  return commit;
}

/** @throws {GitError} in git's words. */
export function commitOf(repo: Repository, name: string): Commit {
  const commit = findCommit(repo, name);
  if (commit) return commit;
  if (/^[0-9a-f]{40}$/.test(name)) throw new GitError(`fatal: bad object ${name}`);
  throw new GitError(unknownRevision(name));
}

export function unknownRevision(name: string): string {
  return `fatal: ambiguous argument '${name}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`;
}

/** The tree that a name stands for: a commit's, an empty one's, a folder's of a commit. */
export function findTree(repo: Repository, name: string): GitTree | undefined {
  if (name === EMPTY_TREE_ID) return EMPTY_TREE;
  if (name.endsWith("^{tree}")) return findTree(repo, name.slice(0, -7));
  const entry = name.includes(":") ? findEntry(repo, name) : undefined;
  if (entry?.kind === "tree") return entry;
  return findCommit(repo, name)?.tree ?? (isId(name) ? findById(repo, name, "tree") : undefined);
}

/** What `REV:path` or the id of a file or folder stands for; `:path` is in the index. */
export function findEntry(repo: Repository, name: string): Entry | undefined {
  const at = name.indexOf(":");
  if (at === -1) return isId(name) ? findById(repo, name) : undefined;
  const tree = at === 0 ? repo.index : findTree(repo, name.slice(0, at));
  return tree && entryAt(tree, name.slice(at + 1));
}

/** The full name of a branch or tag. */
export function refNameOf(repo: Repository, name: string): string | undefined {
  const prefixes = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];
  const all = new Map(repo.refs());
  return prefixes.map((prefix) => prefix + name).find((full) => all.has(full));
}

function baseOf(repo: Repository, name: string): string | undefined {
  if (name === "-" || name === "@{-1}") return baseOf(repo, repo.previous ?? "");
  if (name === "HEAD") return repo.headId;
  if (/^[0-9a-f]{40}$/.test(name)) return name;
  const ref = refNameOf(repo, name);
  if (ref !== undefined) return repo.ref(ref);
  if (/^(ORIG_HEAD|FETCH_HEAD|MERGE_HEAD)$/.test(name)) return repo.ref(name);
  if (!isId(name)) return undefined;
  const found = repo.commitIds().filter((id) => id.startsWith(name));
  return found.length === 1 ? found[0] : undefined;
}

function isId(name: string): boolean {
  return /^[0-9a-f]{4,40}$/.test(name);
}

function parentOf(repo: Repository, commit: Commit | undefined, at: number): Commit | undefined {
  const id = commit?.parents[at];
  return id === undefined ? undefined : repo.commit(id);
}

function findById(repo: Repository, id: string, kind?: "tree"): GitTree | undefined;
function findById(repo: Repository, id: string, kind?: "tree"): Entry | undefined {
  const seen = new Set<Entry>();
  const visit = (entry: Entry): Entry | undefined => {
    if (seen.has(entry)) return undefined;
    seen.add(entry);
    if ((kind === undefined || entry.kind === kind) && idOf(entry).startsWith(id)) return entry;
    if (entry.kind === "blob") return undefined;
    for (const child of entry.entries.values()) {
      const found = visit(child);
      if (found) return found;
    }
    return undefined;
  };
  const { headId } = repo;
  const commits = historyOf(repo, [
    ...(headId === undefined ? [] : [headId]),
    ...repo.refs().map(([, to]) => to),
  ]);
  for (const tree of [repo.index, ...commits.map((commit) => commit.tree)]) {
    const found = visit(tree);
    if (found) return found;
  }
  return undefined;
}
