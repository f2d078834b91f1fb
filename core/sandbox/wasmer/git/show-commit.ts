import type { GitCall } from "./call.ts";
import { GitError } from "./call.ts";
import { type Commit, subjectOf } from "./commit.ts";
import { dayOf, isoTime, mailTime, showTime, strictIsoTime } from "./dates.ts";
import { EMPTY_TREE, type GitTree, treeId } from "./objects.ts";
import type { Options } from "./options.ts";
import type { Repository } from "./repository.ts";

/** How a commit is shown: one of git's named forms, or a text with `%h` and such. */
export function formatOf({ flags }: Options): string {
  if (flags.has("--oneline")) return "oneline";
  const given = flags.get("--format") ?? flags.get("--pretty");
  if (given === undefined) return "medium";
  if (given === "") return "nothing";
  if (["oneline", "short", "medium", "full", "fuller"].includes(given)) return given;
  if (!given.includes("%") && !given.startsWith("format:") && !given.startsWith("tformat:")) {
    throw new GitError(`fatal: invalid --pretty format: ${given}`);
  }
  return given;
}

/** Whether a line end stands between commits and not behind each. */
export function separates(format: string): boolean {
  return format.startsWith("format:") || ["short", "medium", "full", "fuller"].includes(format);
}

/** The head of a commit: all but what it changed. Ends with a line end, but where `separates` says so. */
export function commitText(git: GitCall, commit: Commit, format: string, abbreviates: boolean): string {
  const { id, parents, author, committer, message } = commit;
  const body = `${message
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n")}\n`;
  if (format === "nothing") return "";
  if (format === "oneline") {
    const short = abbreviates ? id.slice(0, 7) : id;
    return `${short} ${subjectOf(commit)}\n`;
  }
  const merge = parents.length > 1 ? `Merge: ${parents.map((parent) => parent.slice(0, 7)).join(" ")}\n` : "";
  const head = `commit ${abbreviates ? id.slice(0, 7) : id}\n${merge}Author: `;
  const by = `${author.name} <${author.email}>`;
  const doneBy = `${committer.name} <${committer.email}>`;
  if (format === "short") return `${head}${by}\n\n    ${subjectOf(commit)}\n`;
  if (format === "medium") return `${head}${by}\nDate:   ${showTime(author)}\n\n${body}`;
  if (format === "full") return `${head}${by}\nCommit: ${doneBy}\n\n${body}`;
  if (format === "fuller") {
    return `${head}    ${by}\nAuthorDate: ${showTime(author)}\nCommit:     ${doneBy}\nCommitDate: ${showTime(committer)}\n\n${body}`;
  }
  const text = filled(git, commit, format.replace(/^t?format:/, ""));
  return separates(format) ? text : `${text}\n`;
}

function filled(git: GitCall, commit: Commit, format: string): string {
  const { author, committer, message } = commit;
  const [, ...rest] = message.split("\n\n");
  const fields: Readonly<Record<string, () => string>> = {
    H: () => commit.id,
    h: () => commit.id.slice(0, 7),
    T: () => treeId(commit.tree),
    t: () => treeId(commit.tree).slice(0, 7),
    P: () => commit.parents.join(" "),
    p: () => commit.parents.map((parent) => parent.slice(0, 7)).join(" "),
    s: () => subjectOf(commit),
    b: () => rest.join("\n\n"),
    B: () => message,
    n: () => "\n",
    "%": () => "%",
    d: () => decoration(git.repo, commit.id, " (", ")"),
    D: () => decoration(git.repo, commit.id, "", ""),
  };
  for (const [letter, person] of [
    ["a", author],
    ["c", committer],
  ] as const) {
    Object.assign(fields, {
      [`${letter}n`]: () => person.name,
      [`${letter}N`]: () => person.name,
      [`${letter}e`]: () => person.email,
      [`${letter}E`]: () => person.email,
      [`${letter}d`]: () => showTime(person),
      [`${letter}D`]: () => mailTime(person),
      [`${letter}i`]: () => isoTime(person),
      [`${letter}I`]: () => strictIsoTime(person),
      [`${letter}t`]: () => String(person.seconds),
      [`${letter}s`]: () => dayOf(person),
    });
  }
  return format.replace(
    /%(x[0-9a-fA-F]{2}|C\([^)]*\)|C(?:red|green|blue|reset)|[ac].|.)/gs,
    (all, name: string) => {
      if (name.startsWith("x")) return String.fromCharCode(Number.parseInt(name.slice(1), 16));
      if (name.startsWith("C")) return "";
      return fields[name]?.() ?? all;
    },
  );
}

function decoration(repo: Repository, id: string, before: string, after: string): string {
  const names = repo
    .refs()
    .filter(([, to]) => to === id)
    .flatMap(([name]) => {
      if (name === repo.branch) return [];
      if (name.startsWith("refs/tags/")) return [`tag: ${name.slice(10)}`];
      return name.startsWith("refs/replace/") ? [] : [name.replace(/^refs\/(heads|remotes)\//, "")];
    });
  if (repo.headId === id)
    names.unshift(repo.branch ? `HEAD -> ${repo.branch.replace("refs/heads/", "")}` : "HEAD");
  return names.length > 0 ? before + names.join(", ") + after : "";
}

/** The files that a commit was made upon. */
export function parentTree(repo: Repository, { parents }: Commit): GitTree {
  return (parents[0] === undefined ? undefined : repo.commit(parents[0])?.tree) ?? EMPTY_TREE;
}
