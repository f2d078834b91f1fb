import { joined } from "../../tree/path.ts";
import { type GitCall, GitError } from "../call.ts";
import { type Commit, subjectOf } from "../commit.ts";
import { showTime } from "../dates.ts";
import { withRenames } from "../diff/renames.ts";
import { shortstat, summary } from "../diff/summaries.ts";
import { person } from "../identity.ts";
import { EMPTY_TREE, type GitTree } from "../objects.ts";
import { parseOptions } from "../options.ts";
import { Pathspec } from "../pathspec.ts";
import { commitOf } from "../revision.ts";
import { compareTrees, staged } from "../worktree.ts";
import { walkOf } from "./add.ts";
import { statusText } from "./status.ts";

export function commit(git: GitCall, args: readonly string[]): number {
  const options = parseOptions("commit", args, {
    "-m": "value",
    "--message": "value",
    "-F": "value",
    "--file": "value",
    "-a": "none",
    "--all": "none",
    "-q": "none",
    "--quiet": "none",
    "--allow-empty": "none",
    "--allow-empty-message": "none",
    "--amend": "none",
    "--no-edit": "none",
    "-n": "none",
    "--no-verify": "none",
    "--no-gpg-sign": "none",
    "-s": "none",
    "--signoff": "none",
    "--author": "value",
    "--date": "value",
    "-C": "value",
  });
  const { flags, words, paths = [] } = options;
  const { repo } = git;
  const has = (...names: string[]): boolean => names.some((name) => flags.has(name));
  const amended = has("--amend") ? commitOf(repo, "HEAD") : undefined;
  const index = nextIndex(git, has("-a", "--all"), [...words, ...paths]);
  const head = repo.headId;
  const parents = amended ? amended.parents : head === undefined ? [] : [head];
  const before = amended ? treeOfFirst(git, amended) : repo.headTree;
  if (compareTrees(before, index).length === 0 && !has("--allow-empty", "--amend")) {
    git.out(statusText(git));
    return 1;
  }
  const message = messageOf(git, options, amended);
  if (message === "" && !has("--allow-empty-message")) {
    git.err("Aborting commit due to empty commit message.");
    return 1;
  }
  const given = { date: flags.get("--date"), author: flags.get("--author") };
  const copied = flags.has("-C") ? commitOf(repo, flags.get("-C")!) : amended;
  const author = copied && !given.author && !given.date ? copied.author : person(git, "author", given);
  const committer = person(git, "committer");
  const made = repo.addCommit({ tree: index, parents, author, committer, message });
  repo.index = index;
  repo.moveHead(made.id);
  if (has("-q", "--quiet")) return 0;
  const changes = withRenames(compareTrees(before, index), true);
  const branch = repo.branch?.replace("refs/heads/", "") ?? "detached HEAD";
  git.line(
    `[${branch}${parents.length === 0 ? " (root-commit)" : ""} ${made.id.slice(0, 7)}] ${subjectOf(made)}`,
  );
  if (author.email !== committer.email || author.name !== committer.name)
    git.line(` Author: ${author.name} <${author.email}>`);
  if (copied || given.date !== undefined) git.line(` Date: ${showTime(author)}`);
  git.out(shortstat(changes) + summary(changes));
  return 0;
}

function nextIndex(git: GitCall, all: boolean, given: readonly string[]): GitTree {
  const { repo } = git;
  if (!all && given.length === 0) return repo.index;
  const spec = new Pathspec(git, given);
  const tracked = new Set(listed(repo.index));
  const missing = spec.unmatched([...tracked]);
  if (missing !== undefined)
    throw new GitError(`error: pathspec '${missing}' did not match any file(s) known to git`, 1);
  return staged(repo.index, repo.folder(), {
    ...walkOf(git, spec),
    has: (path) => tracked.has(path) && spec.has(path),
  });
}

function listed(tree: GitTree, prefix = ""): string[] {
  return [...tree.entries].flatMap(([name, entry]) =>
    entry.kind === "tree" ? listed(entry, `${prefix}${name}/`) : [prefix + name],
  );
}

function treeOfFirst(git: GitCall, { parents }: Commit): GitTree {
  const [first] = parents;
  return first === undefined ? EMPTY_TREE : commitOf(git.repo, first).tree;
}

function messageOf(
  git: GitCall,
  { flags, all }: ReturnType<typeof parseOptions>,
  amended: Commit | undefined,
): string {
  const texts = [...all("-m"), ...all("--message")];
  const file = flags.get("-F") ?? flags.get("--file");
  if (file !== undefined) {
    texts.push(Buffer.from(file === "-" ? git.stdin : git.tree.read(joined(git.cwd, file))).toString());
  }
  const copied = flags.get("-C");
  if (texts.length === 0 && copied !== undefined) return commitOf(git.repo, copied).message;
  if (texts.length === 0 && amended) return amended.message;
  if (texts.length === 0) {
    throw new GitError(
      "error: Terminal is dumb, but EDITOR unset\nPlease supply the message using either -m or -F option.",
      1,
    );
  }
  const lines = texts
    .join("\n\n")
    .split("\n")
    .map((line) => line.trimEnd());
  const text = lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  if (text === "") return "";
  if (!flags.has("-s") && !flags.has("--signoff")) return `${text}\n`;
  const { name, email } = person(git, "committer");
  return `${text}\n\nSigned-off-by: ${name} <${email}>\n`;
}
