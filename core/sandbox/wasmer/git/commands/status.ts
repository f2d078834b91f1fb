import type { GitCall } from "../call.ts";
import { type ShownChange, withRenames } from "../diff/renames.ts";
import { letterOf } from "../diff/summaries.ts";
import { byBytes } from "../objects.ts";
import { parseOptions } from "../options.ts";
import { fromHere, Pathspec } from "../pathspec.ts";
import { quotedPath } from "../quote.ts";
import { type Change, compareFolder, compareTrees, untracked } from "../worktree.ts";
import { walkOf } from "./add.ts";

interface Status {
  readonly staged: readonly ShownChange[];
  readonly unstaged: readonly Change[];
  readonly fresh: readonly string[];
  readonly ignored: readonly string[];
}

export function status(git: GitCall, args: readonly string[]): number {
  const options = parseOptions("status", args, {
    "-s": "none",
    "--short": "none",
    "--porcelain": "inline",
    "--long": "none",
    "-b": "none",
    "--branch": "none",
    "-u": "inline",
    "--untracked-files": "inline",
    "--ignored": "inline",
    "-z": "none",
    "--no-renames": "none",
    "-v": "none",
  });
  const { flags, words, paths = [] } = options;
  const spec = new Pathspec(git, [...words, ...paths]);
  const mode =
    flags.get("-u") ?? flags.get("--untracked-files") ?? git.setting("status.showuntrackedfiles") ?? "normal";
  const found = statusOf(
    git,
    spec,
    mode === "" ? "all" : mode,
    flags.has("--ignored"),
    !flags.has("--no-renames"),
  );
  const isShort = ["-s", "--short", "--porcelain", "-z"].some((flag) => flags.has(flag));
  if (!isShort) git.out(longText(git, found, mode !== "no"));
  else git.out(shortText(git, found, options));
  return 0;
}

/** What `git status` writes. */
export function statusText(git: GitCall): string {
  return longText(git, statusOf(git, new Pathspec(git, []), "normal", false, true), true);
}

function statusOf(
  git: GitCall,
  spec: Pathspec,
  mode: string,
  withIgnored: boolean,
  renames: boolean,
): Status {
  const { repo } = git;
  const [index, folder] = [repo.index, repo.folder()];
  const meant = ({ path }: Change): boolean => spec.has(path);
  const walk = walkOf(git, spec);
  return {
    staged: withRenames(compareTrees(repo.headTree, index).filter(meant), renames),
    unstaged: compareFolder(index, folder, git.isSet("core.filemode", true))
      .filter(meant)
      .sort((one, other) => byBytes(one.path, other.path)),
    fresh: mode === "no" ? [] : untracked(index, folder, walk, mode === "all").sort(byBytes),
    ignored: withIgnored ? untracked(index, folder, { ...walk, ignored: "only" }).sort(byBytes) : [],
  };
}

function shortText(
  git: GitCall,
  { staged, unstaged, fresh, ignored }: Status,
  { flags }: ReturnType<typeof parseOptions>,
): string {
  const isPorcelain = flags.has("--porcelain") || flags.has("-z");
  const end = flags.has("-z") ? "\0" : "\n";
  const name = (path: string): string => {
    const shown = isPorcelain ? path : fromHere(git, path);
    if (flags.has("-z")) return shown;
    const quoted = quotedPath(shown);
    return quoted === shown && shown.includes(" ") ? `"${shown}"` : quoted;
  };
  const rows = new Map<string, { x: string; y: string; from?: string | undefined }>();
  for (const change of staged) rows.set(change.path, { x: letterOf(change), y: " ", from: change.from });
  for (const change of unstaged) {
    rows.set(change.path, { x: " ", ...rows.get(change.path), y: letterOf(change) });
  }
  let text = flags.has("-b") || flags.has("--branch") ? `## ${branchName(git)}${end}` : "";
  for (const [path, { x, y, from }] of [...rows].sort(([one], [other]) => byBytes(one, other))) {
    const names =
      from === undefined
        ? name(path)
        : flags.has("-z")
          ? `${name(path)}\0${name(from)}`
          : `${name(from)} -> ${name(path)}`;
    text += `${x}${y} ${names}${end}`;
  }
  for (const path of fresh) text += `?? ${name(path)}${end}`;
  for (const path of ignored) text += `!! ${name(path)}${end}`;
  return text;
}

function branchName(git: GitCall): string {
  const { branch, headId } = git.repo;
  if (branch === undefined) return "HEAD (no branch)";
  const name = branch.replace("refs/heads/", "");
  return headId === undefined ? `No commits yet on ${name}` : name;
}

function longText(git: GitCall, { staged, unstaged, fresh, ignored }: Status, showsFresh: boolean): string {
  const { branch, headId } = git.repo;
  const show = (path: string): string => quotedPath(fromHere(git, path));
  let text =
    branch === undefined
      ? `HEAD detached at ${headId!.slice(0, 7)}\n`
      : `On branch ${branch.replace("refs/heads/", "")}\n`;
  if (headId === undefined) text += "\nNo commits yet\n\n";
  const list = (title: string, hints: readonly string[], lines: readonly string[]): void => {
    if (lines.length === 0) return;
    text += `${title}\n${hints.map((hint) => `  (${hint})\n`).join("")}${lines.map((line) => `\t${line}\n`).join("")}\n`;
  };
  const unstage =
    headId === undefined
      ? 'use "git rm --cached <file>..." to unstage'
      : 'use "git restore --staged <file>..." to unstage';
  list(
    "Changes to be committed:",
    [unstage],
    staged.map(
      (change) =>
        `${wordOf(change)}${change.from === undefined ? "" : `${show(change.from)} -> `}${show(change.path)}`,
    ),
  );
  const rm = unstaged.some(({ now }) => !now) ? "add/rm" : "add";
  list(
    "Changes not staged for commit:",
    [
      `use "git ${rm} <file>..." to update what will be committed`,
      'use "git restore <file>..." to discard changes in working directory',
    ],
    unstaged.map((change) => `${wordOf(change)}${show(change.path)}`),
  );
  list("Untracked files:", ['use "git add <file>..." to include in what will be committed'], fresh.map(show));
  list(
    "Ignored files:",
    ['use "git add -f <file>..." to include in what will be committed'],
    ignored.map(show),
  );
  if (!showsFresh) text += "Untracked files not listed (use -u option to show untracked files)\n";
  if (staged.length > 0) return text;
  if (unstaged.length > 0)
    return `${text}no changes added to commit (use "git add" and/or "git commit -a")\n`;
  if (fresh.length > 0)
    return `${text}nothing added to commit but untracked files present (use "git add" to track)\n`;
  if (headId === undefined)
    return `${text}nothing to commit (create/copy files and use "git add" to track)\n`;
  return `${text}nothing to commit${showsFresh ? ", working tree clean" : " (use -u to show untracked files)"}\n`;
}

function wordOf(change: ShownChange): string {
  const words: Readonly<Record<string, string>> = {
    A: "new file:",
    D: "deleted:",
    M: "modified:",
    R: "renamed:",
    T: "typechange:",
  };
  return words[letterOf(change)]!.padEnd(12);
}
