import { type GitCall, GitError } from "../call.ts";
import { subjectOf } from "../commit.ts";
import { globPattern } from "../ignore.ts";
import { parseOptions } from "../options.ts";
import { commitOf, findCommit, refNameOf } from "../revision.ts";

const VALID = /^(?!-)(?!.*\.\.)(?!.*\/$)[^\s~^:?*[\\]+$/;

export function tag(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("tag", args, {
    "-l": "none",
    "--list": "none",
    "-d": "none",
    "--delete": "none",
    "-f": "none",
    "--force": "none",
    "-a": "none",
    "-m": "value",
    "-n": "inline",
  });
  const { repo } = git;
  const [name, target] = words;
  if (flags.has("-a") || flags.has("-m"))
    throw new GitError("error: this git of the sandbox has no annotated tags; leave out -a and -m", 129);
  if (flags.has("-d") || flags.has("--delete")) return remove(git, words, "refs/tags/", "tag");
  if (name === undefined || flags.has("-l") || flags.has("--list")) {
    const patterns = words.map((glob) => RegExp(`^${globPattern(glob, false)}$`));
    for (const [full] of repo.refs("refs/tags/")) {
      const short = full.slice(10);
      if (patterns.length === 0 || patterns.some((pattern) => pattern.test(short))) git.line(short);
    }
    return 0;
  }
  const full = `refs/tags/${name}`;
  if (!VALID.test(name)) throw new GitError(`fatal: '${name}' is not a valid tag name.`);
  const commit = findCommit(repo, target ?? "HEAD");
  if (!commit) throw new GitError(`fatal: Failed to resolve '${target ?? "HEAD"}' as a valid ref.`);
  if (repo.ref(full) && !flags.has("-f") && !flags.has("--force"))
    throw new GitError(`fatal: tag '${name}' already exists`);
  repo.setRef(full, commit.id);
  return 0;
}

export function branch(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("branch", args, {
    "-d": "none",
    "-D": "none",
    "--delete": "none",
    "-f": "none",
    "--force": "none",
    "-m": "none",
    "-M": "none",
    "-a": "none",
    "--all": "none",
    "-r": "none",
    "-v": "none",
    "--list": "none",
    "-l": "none",
    "--show-current": "none",
  });
  const { repo } = git;
  const [name, start] = words;
  if (flags.has("--show-current")) {
    if (repo.branch !== undefined) git.line(repo.branch.replace("refs/heads/", ""));
    return 0;
  }
  if (flags.has("-d") || flags.has("-D") || flags.has("--delete"))
    return remove(git, words, "refs/heads/", "branch");
  if (flags.has("-m") || flags.has("-M")) return rename(git, words);
  if (name === undefined || flags.has("--list") || flags.has("-l")) {
    if (repo.branch === undefined && repo.headId) git.line(`* (HEAD detached at ${repo.headId.slice(0, 7)})`);
    for (const [full, id] of flags.has("-r") ? [] : repo.refs("refs/heads/")) {
      const commit = flags.has("-v") ? repo.commit(id) : undefined;
      const more = commit ? ` ${id.slice(0, 7)} ${subjectOf(commit)}` : "";
      git.line(`${full === repo.branch ? "*" : " "} ${full.slice(11)}${more}`);
    }
    return 0;
  }
  const full = `refs/heads/${name}`;
  if (!VALID.test(name)) throw new GitError(`fatal: '${name}' is not a valid branch name`);
  if (repo.ref(full) && !flags.has("-f") && !flags.has("--force"))
    throw new GitError(`fatal: a branch named '${name}' already exists`);
  const commit = findCommit(repo, start ?? "HEAD");
  if (!commit)
    throw new GitError(
      `fatal: not a valid object name: '${start ?? repo.branch?.replace("refs/heads/", "") ?? "HEAD"}'`,
    );
  repo.setRef(full, commit.id);
  return 0;
}

function rename(git: GitCall, words: readonly string[]): number {
  const { repo } = git;
  const [from, to] = words.length > 1 ? words : [repo.branch?.replace("refs/heads/", ""), words[0]];
  if (from === undefined || to === undefined) throw new GitError("fatal: branch name required");
  const id = repo.ref(`refs/heads/${from}`);
  const isCurrent = repo.branch === `refs/heads/${from}`;
  if (id === undefined && !isCurrent) throw new GitError(`fatal: no branch named '${from}'`);
  if (id !== undefined) {
    repo.deleteRef(`refs/heads/${from}`);
    repo.setRef(`refs/heads/${to}`, id);
  }
  if (isCurrent) repo.setHead(`refs/heads/${to}`);
  return 0;
}

function remove(git: GitCall, names: readonly string[], prefix: string, what: string): number {
  const { repo } = git;
  let exitCode = 0;
  for (const name of names) {
    const id = repo.ref(prefix + name);
    if (id === undefined) {
      git.err(`error: ${what} '${name}' not found${what === "tag" ? "." : "."}`);
      exitCode = 1;
    } else if (repo.branch === prefix + name) {
      git.err(`error: Cannot delete branch '${name}' checked out at '${repo.root}'`);
      exitCode = 1;
    } else {
      repo.deleteRef(prefix + name);
      git.line(
        what === "tag"
          ? `Deleted tag '${name}' (was ${id.slice(0, 7)})`
          : `Deleted branch ${name} (was ${id.slice(0, 7)}).`,
      );
    }
  }
  return exitCode;
}

export function updateRef(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("update-ref", args, {
    "-d": "none",
    "-m": "value",
    "--no-deref": "none",
  });
  const { repo } = git;
  const [name, value, expected] = words;
  if (name === undefined || (value === undefined && !flags.has("-d"))) {
    throw new GitError(
      "usage: git update-ref [<options>] -d <refname> [<old-val>]\n   or: git update-ref [<options>]    <refname> <new-val> [<old-val>]",
      129,
    );
  }
  if (name !== "HEAD" && !/^refs\/[^\s~^:?*[\\]+$/.test(name) && !/^[A-Z_]+$/.test(name)) {
    throw new GitError(
      `fatal: update_ref failed for ref '${name}': refusing to update ref with bad name '${name}'`,
    );
  }
  if (flags.has("-d")) {
    if (repo.ref(name) !== undefined) repo.deleteRef(name);
    return 0;
  }
  const commit = findCommit(repo, value!);
  if (!commit) throw new GitError(`fatal: ${value}: not a valid SHA1`);
  if (expected !== undefined && !/^0+$/.test(expected) && repo.ref(name) !== commitOf(repo, expected).id) {
    throw new GitError(`fatal: update_ref failed for ref '${name}': cannot lock ref '${name}'`);
  }
  if (name !== "HEAD") repo.setRef(name, commit.id);
  else if (flags.has("--no-deref")) repo.setHead(commit.id);
  else repo.moveHead(commit.id);
  return 0;
}

export function symbolicRef(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("symbolic-ref", args, {
    "--short": "none",
    "-q": "none",
    "--quiet": "none",
  });
  const [name, target] = words;
  if (name !== "HEAD") throw new GitError("error: this git of the sandbox has no symbolic refs but HEAD", 1);
  const { repo } = git;
  if (target !== undefined) {
    if (!target.startsWith("refs/")) throw new GitError("fatal: Refusing to point HEAD outside of refs/");
    repo.setHead(target);
    return 0;
  }
  if (repo.branch === undefined) {
    if (flags.has("-q") || flags.has("--quiet")) return 1;
    throw new GitError("fatal: ref HEAD is not a symbolic ref");
  }
  git.line(flags.has("--short") ? repo.branch.replace("refs/heads/", "") : repo.branch);
  return 0;
}

export function showRef(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("show-ref", args, {
    "--heads": "none",
    "--tags": "none",
    "--head": "none",
    "--verify": "none",
    "-q": "none",
  });
  const { repo } = git;
  const prefixes = [
    ...(flags.has("--heads") ? ["refs/heads/"] : []),
    ...(flags.has("--tags") ? ["refs/tags/"] : []),
  ];
  const found = repo.refs().filter(([name]) => {
    const isKind = prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
    return isKind && (words.length === 0 || words.some((word) => name === word || name.endsWith(`/${word}`)));
  });
  if (flags.has("--head") && repo.headId !== undefined) found.unshift(["HEAD", repo.headId]);
  if (!flags.has("-q")) for (const [name, id] of found) git.line(`${id} ${name}`);
  return found.length > 0 ? 0 : 1;
}

export function forEachRef(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("for-each-ref", args, { "--format": "value" });
  const format = flags.get("--format") ?? "%(objectname) %(objecttype)\t%(refname)";
  for (const [name, id] of git.repo.refs()) {
    if (
      words.length > 0 &&
      !words.some((word) => name === word || name.startsWith(word.replace(/\/?$/, "/")))
    )
      continue;
    const fields: Readonly<Record<string, string>> = {
      refname: name,
      "refname:short": name.replace(/^refs\/(heads|tags|remotes)\//, ""),
      objectname: id,
      "objectname:short": id.slice(0, 7),
      objecttype: "commit",
    };
    git.line(
      format.replace(/%\(([^)]*)\)/g, (all, field: string) => {
        if (fields[field] === undefined)
          throw new GitError(`fatal: this git of the sandbox does not know the field ${all}`, 129);
        return fields[field];
      }),
    );
  }
  return 0;
}

export function fullRefName(git: GitCall, name: string): string | undefined {
  if (name === "HEAD") return git.repo.branch ?? "HEAD";
  return refNameOf(git.repo, name);
}
