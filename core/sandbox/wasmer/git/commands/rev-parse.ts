import { type GitCall, GitError } from "../call.ts";
import { historyOf } from "../history.ts";
import { idOf } from "../objects.ts";
import { parseOptions } from "../options.ts";
import { commitOf, findCommit, findEntry, findTree, unknownRevision } from "../revision.ts";
import { fullRefName } from "./refs.ts";

const PLACES = [
  "--show-toplevel",
  "--git-dir",
  "--absolute-git-dir",
  "--git-common-dir",
  "--is-inside-work-tree",
  "--is-bare-repository",
  "--show-prefix",
  "--show-cdup",
  "--is-inside-git-dir",
];

export function revParse(git: GitCall, args: readonly string[]): number {
  let [isVerify, isQuiet, isSymbolic, isAbbreviated] = [false, false, false, false];
  let length = 40;
  for (const word of args) {
    if (word === "--verify") isVerify = true;
    else if (word === "-q" || word === "--quiet") isQuiet = true;
    else if (word === "--abbrev-ref") isAbbreviated = true;
    else if (word === "--symbolic-full-name") isSymbolic = true;
    else if (word === "--short") length = 7;
    else if (/^--short=\d+$/.test(word)) length = Math.max(4, Number(word.slice(8)));
    else if (PLACES.includes(word)) git.line(place(git, word));
    else if (word === "--all") for (const [, id] of git.repo.refs()) git.line(id);
    else if (word === "--") continue;
    else if (word.startsWith("--")) {
      throw new GitError(
        `error: unknown option \`${word.slice(2)}'\nusage: git rev-parse: this git of the sandbox does not have that option`,
        129,
      );
    } else if (isAbbreviated || isSymbolic) {
      const full = fullRefName(git, word);
      if (full === undefined && !findCommit(git.repo, word)) throw new GitError(unknownRevision(word));
      if (full !== undefined)
        git.line(isAbbreviated ? full.replace(/^refs\/(heads|tags|remotes)\//, "") : full);
    } else {
      const id = idNamed(git, word);
      if (id === undefined && isVerify) {
        if (isQuiet) return 1;
        throw new GitError("fatal: Needed a single revision");
      }
      if (id === undefined) {
        git.line(word);
        throw new GitError(unknownRevision(word));
      }
      git.line(id.slice(0, length));
    }
  }
  return 0;
}

function idNamed(git: GitCall, word: string): string | undefined {
  if (/^[0-9a-f]{40}$/.test(word)) return word;
  const isTree = /\^\{tree\}$/.test(word);
  const commit = findCommit(git.repo, word);
  if (commit && !isTree) return commit.id;
  const entry = findEntry(git.repo, word) ?? findTree(git.repo, word);
  return entry && idOf(entry);
}

function place(git: GitCall, word: string): string {
  const { repo, prefix, cwd } = git;
  const up = "../".repeat(prefix.split("/").length - 1);
  switch (word) {
    case "--show-toplevel":
      return repo.root;
    case "--git-dir":
    case "--git-common-dir":
      return prefix === "" ? ".git" : word === "--git-dir" ? repo.path("") : `${up}.git`;
    case "--absolute-git-dir":
      return repo.path("");
    case "--is-inside-work-tree":
      return String(!`${cwd}/`.startsWith(`${repo.path("")}/`));
    case "--is-inside-git-dir":
      return String(`${cwd}/`.startsWith(`${repo.path("")}/`));
    case "--is-bare-repository":
      return "false";
    case "--show-cdup":
      return up;
    default:
      return prefix;
  }
}

export function mergeBase(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("merge-base", args, { "--is-ancestor": "none" });
  const [one, other] = words;
  if (one === undefined || other === undefined || words.length > 2)
    throw new GitError("usage: git merge-base [--is-ancestor] <commit> <commit>", 129);
  const [first, second] = [commitOf(git.repo, one), commitOf(git.repo, other)];
  const theirs = historyOf(git.repo, [second.id]);
  if (flags.has("--is-ancestor")) return theirs.some(({ id }) => id === first.id) ? 0 : 1;
  const ids = new Set(theirs.map(({ id }) => id));
  const base = historyOf(git.repo, [first.id]).find(({ id }) => ids.has(id));
  if (base) git.line(base.id);
  return base ? 0 : 1;
}
