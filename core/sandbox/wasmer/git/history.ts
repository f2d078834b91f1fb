import type { Commit } from "./commit.ts";
import type { Repository } from "./repository.ts";

/** Every commit that leads to these, the newest first, those left out that lead to one of `not`. */
export function historyOf(repo: Repository, ids: readonly string[], not: readonly string[] = []): Commit[] {
  const hidden = new Set(not.length > 0 ? historyOf(repo, not).map(({ id }) => id) : []);
  const found = new Map<string, Commit>();
  const waiting: Commit[] = [];
  const add = (id: string): void => {
    const commit = repo.commit(id);
    if (!commit || found.has(commit.id) || hidden.has(commit.id)) return;
    found.set(commit.id, commit);
    waiting.push(commit);
  };
  ids.forEach(add);
  const result: Commit[] = [];
  while (waiting.length > 0) {
    // Of equal times the one that was found first.
    let newest = 0;
    for (let at = 1; at < waiting.length; at++) {
      if (waiting[at]!.committer.seconds > waiting[newest]!.committer.seconds) newest = at;
    }
    const [commit] = waiting.splice(newest, 1);
    result.push(commit!);
    commit!.parents.forEach(add);
  }
  return result;
}
