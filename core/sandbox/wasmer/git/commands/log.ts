import { joined } from "../../tree/path.ts";
import { type GitCall, GitError } from "../call.ts";
import type { Commit } from "../commit.ts";
import { parseTime } from "../dates.ts";
import { DIFF_FLAGS, showChanges, shownForms } from "../diff/options.ts";
import { historyOf } from "../history.ts";
import { type Flags, type Options, parseOptions } from "../options.ts";
import { Pathspec } from "../pathspec.ts";
import { commitOf, findCommit } from "../revision.ts";
import { commitText, formatOf, parentTree, separates } from "../show-commit.ts";
import { nodeAt } from "../text-files.ts";
import { compareTrees } from "../worktree.ts";

/** Which commits are wanted. */
const WALK_FLAGS: Flags = {
  "-n": "value",
  "-<n>": "value",
  "--max-count": "value",
  "--skip": "value",
  "--all": "none",
  "--branches": "none",
  "--tags": "none",
  "--not": "none",
  "--since": "value",
  "--after": "value",
  "--until": "value",
  "--before": "value",
  "--author": "value",
  "--grep": "value",
  "--reverse": "none",
  "--first-parent": "none",
  "--no-merges": "none",
};

export const SHOW_FLAGS: Flags = {
  "--oneline": "none",
  "--format": "value",
  "--pretty": "inline",
  "--abbrev-commit": "none",
  "--no-decorate": "none",
  "--decorate": "inline",
};

export function log(git: GitCall, args: readonly string[]): number {
  const options = parseOptions("log", args, { ...WALK_FLAGS, ...SHOW_FLAGS, ...DIFF_FLAGS });
  const { repo } = git;
  if (repo.headId === undefined && options.words.length === 0 && !options.flags.has("--all")) {
    const branch = repo.branch!.replace("refs/heads/", "");
    throw new GitError(`fatal: your current branch '${branch}' does not have any commits yet`);
  }
  const { commits, spec } = chosen(git, args, options, "HEAD");
  const format = formatOf(options);
  const forms = shownForms(options, "none");
  for (const [at, commit] of commits.entries()) {
    if (at > 0 && separates(format)) git.out("\n");
    showOne(git, commit, options, format, forms, spec);
  }
  return 0;
}

/** A commit's head, and what it changed in the forms that are wanted. */
export function showOne(
  git: GitCall,
  commit: Commit,
  options: Options,
  format: string,
  forms: ReadonlySet<string>,
  spec: Pathspec,
): void {
  const { flags } = options;
  git.out(commitText(git, commit, format, flags.has("--oneline") || flags.has("--abbrev-commit")));
  if (forms.size === 0) return;
  const changes = compareTrees(parentTree(git.repo, commit), commit.tree).filter(({ path }) =>
    spec.has(path),
  );
  if (changes.length === 0) return;
  if (format !== "oneline" && format !== "nothing") git.out("\n");
  showChanges(git, changes, options, forms);
}

export function revList(git: GitCall, args: readonly string[]): number {
  const options = parseOptions("rev-list", args, {
    ...WALK_FLAGS,
    "--count": "none",
    "--parents": "none",
    "--abbrev-commit": "none",
  });
  const { flags, words } = options;
  if (words.length === 0 && !["--all", "--branches", "--tags"].some((flag) => flags.has(flag))) {
    throw new GitError("usage: git rev-list [<options>] <commit>... [--] [<path>...]", 129);
  }
  const { commits } = chosen(git, args, options, undefined);
  if (flags.has("--count")) git.line(String(commits.length));
  else {
    for (const { id, parents } of commits) {
      git.line(
        [flags.has("--abbrev-commit") ? id.slice(0, 7) : id, ...(flags.has("--parents") ? parents : [])].join(
          " ",
        ),
      );
    }
  }
  return 0;
}

/** The commits that the arguments mean, in the order in which they are shown. */
function chosen(
  git: GitCall,
  args: readonly string[],
  { flags, paths = [] }: Options,
  otherwise: string | undefined,
): { readonly commits: readonly Commit[]; readonly spec: Pathspec } {
  const { repo } = git;
  const { wanted, unwanted, rest } = startsOf(git, args);
  const none = wanted.length === 0 && !["--all", "--branches", "--tags"].some((flag) => flags.has(flag));
  if (none && otherwise !== undefined) wanted.push(commitOf(repo, otherwise).id);
  const spec = new Pathspec(git, [...rest, ...paths]);
  const nowSeconds = Math.floor(git.tree.nowMs / 1000);
  const time = (...names: string[]): number | undefined => {
    const given = names.map((name) => flags.get(name)).find((value) => value !== undefined);
    if (given === undefined) return undefined;
    const parsed = parseTime(given, nowSeconds);
    if (!parsed) throw new GitError(`fatal: this git of the sandbox does not know the date '${given}'`, 129);
    return parsed.seconds;
  };
  const [since, until] = [time("--since", "--after"), time("--until", "--before")];
  const [author, grep] = [flags.get("--author"), flags.get("--grep")];
  let commits = historyOf(repo, wanted, unwanted).filter((commit) => {
    const { seconds } = commit.committer;
    if (since !== undefined && seconds < since) return false;
    if (until !== undefined && seconds > until) return false;
    if (author !== undefined && !RegExp(author).test(`${commit.author.name} <${commit.author.email}>`))
      return false;
    if (grep !== undefined && !RegExp(grep, "m").test(commit.message)) return false;
    if (flags.has("--no-merges") && commit.parents.length > 1) return false;
    return (
      spec.isEmpty || compareTrees(parentTree(repo, commit), commit.tree).some(({ path }) => spec.has(path))
    );
  });
  const count = flags.get("-n") ?? flags.get("-<n>") ?? flags.get("--max-count");
  const skip = Number(flags.get("--skip") ?? 0);
  commits = commits.slice(skip, count === undefined ? undefined : skip + Number(count));
  return { commits: flags.has("--reverse") ? commits.reverse() : commits, spec };
}

/** Ids that the walk starts at and stops at, in the order of the words, since `--not` turns those behind it round. */
function startsOf(
  git: GitCall,
  args: readonly string[],
): { wanted: string[]; unwanted: string[]; rest: string[] } {
  const { repo } = git;
  const [wanted, unwanted, rest]: [string[], string[], string[]] = [[], [], []];
  let isNot = false;
  const end = args.indexOf("--");
  const words = end === -1 ? args : args.slice(0, end);
  const put = (id: string, turned = false): void => void (isNot !== turned ? unwanted : wanted).push(id);
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (
      [
        "-n",
        "--max-count",
        "--skip",
        "--since",
        "--after",
        "--until",
        "--before",
        "--author",
        "--grep",
        "-U",
      ].includes(word)
    )
      at++;
    else if (word === "--not") isNot = !isNot;
    else if (word === "--all" || word === "--branches" || word === "--tags") {
      const prefix = { "--all": "refs/", "--branches": "refs/heads/", "--tags": "refs/tags/" }[word];
      for (const [name, id] of repo.refs(prefix)) if (!name.startsWith("refs/replace/")) put(id);
      if (word === "--all" && repo.headId !== undefined) put(repo.headId);
    } else if (!word.startsWith("-")) {
      const range = /^(.*?)\.\.(.*)$/.exec(word);
      if (rest.length > 0) rest.push(word);
      else if (word.startsWith("^")) put(commitOf(repo, word.slice(1)).id, true);
      else if (range && !range[2]!.startsWith(".")) {
        put(commitOf(repo, range[1] || "HEAD").id, true);
        put(commitOf(repo, range[2] || "HEAD").id);
      } else {
        const commit = findCommit(repo, word);
        if (commit) put(commit.id);
        else if (end === -1 && nodeAt(git.tree, joined(git.cwd, word))) rest.push(word);
        else commitOf(repo, word);
      }
    }
  }
  return { wanted, unwanted, rest };
}
