import { type GitCall, GitError } from "../call.ts";
import { Ignore } from "../ignore.ts";
import { blobs } from "../objects.ts";
import { parseOptions } from "../options.ts";
import { Pathspec } from "../pathspec.ts";
import { quotedPath } from "../quote.ts";
import { readText } from "../text-files.ts";
import { compareTrees, staged, untracked, type Walk } from "../worktree.ts";

export function add(git: GitCall, args: readonly string[]): number {
  const {
    flags,
    words,
    paths = [],
  } = parseOptions("add", args, {
    "-A": "none",
    "--all": "none",
    "-u": "none",
    "--update": "none",
    "-f": "none",
    "--force": "none",
    "-v": "none",
    "--verbose": "none",
    "-n": "none",
    "--dry-run": "none",
  });
  const given = [...words, ...paths];
  const has = (...names: string[]): boolean => names.some((name) => flags.has(name));
  if (given.length === 0 && !has("-A", "--all", "-u", "--update")) {
    git.err("Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?");
    git.err('hint: Turn this message off by running\nhint: "git config advice.addEmptyPathspec false"');
    return 0;
  }
  const { repo } = git;
  const spec = new Pathspec(git, given);
  const walk = walkOf(git, spec, has("-f", "--force"));
  const [old, folder] = [repo.index, repo.folder()];
  const fresh = has("-u", "--update") ? [] : untracked(old, folder, walk, true);
  const tracked = [...blobs(old)].map(([path]) => path);
  checkSpec(git, spec, given, [...tracked, ...fresh]);
  const isTracked = new Set(tracked);
  const keepNew = has("-u", "--update");
  const index = staged(
    old,
    folder,
    keepNew ? { ...walk, has: (path) => isTracked.has(path) && spec.has(path) } : walk,
  );
  if (has("-v", "--verbose", "-n", "--dry-run")) {
    for (const { path, now } of compareTrees(old, index)) {
      git.line(`${now ? "add" : "remove"} '${quotedPath(path)}'`);
    }
  }
  if (!has("-n", "--dry-run") && index !== old) repo.index = index;
  return 0;
}

export function walkOf(git: GitCall, spec: Pathspec, force = false): Walk {
  const ignore = Ignore.of(readText(git.tree, git.repo.path("info/exclude")) ?? "");
  return { ignore, has: (path) => spec.has(path.replace(/\/$/, "")), ignored: force ? "also" : "no" };
}

function checkSpec(git: GitCall, spec: Pathspec, given: readonly string[], paths: readonly string[]): void {
  const missing = spec.unmatched(paths);
  if (missing === undefined) return;
  const ignored = untracked(
    git.repo.index,
    git.repo.folder(),
    { ...walkOf(git, spec), ignored: "also" },
    true,
  );
  const whole = given.filter((path) => new Pathspec(git, [path]).unmatched(paths) !== undefined);
  if (new Pathspec(git, [missing]).unmatched(ignored) === undefined && ignored.length > 0) {
    throw new GitError(
      `The following paths are ignored by one of your .gitignore files:\n${whole.join("\n")}\nhint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: "git config advice.addIgnoredFile false"`,
      1,
    );
  }
  // An empty folder is there, although there is nothing in it to add.
  const node = git.tree.find(missing.startsWith("/") ? missing : `${git.cwd}/${missing}`);
  if (node?.kind === "folder") return;
  throw new GitError(`fatal: pathspec '${missing}' did not match any files`);
}
