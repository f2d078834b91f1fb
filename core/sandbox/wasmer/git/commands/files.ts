import { joined } from "../../tree/path.ts";
import { type GitCall, GitError } from "../call.ts";
import { blobAt, blobId, blobs, byBytes, entryAt, isSameBlob, withEntry } from "../objects.ts";
import { parseOptions } from "../options.ts";
import { fromHere, fromTop, Pathspec } from "../pathspec.ts";
import { quotedPath } from "../quote.ts";
import { nodeAt } from "../text-files.ts";
import { compareFolder, removeFile, untracked, workFile } from "../worktree.ts";
import { walkOf } from "./add.ts";

export function clean(git: GitCall, args: readonly string[]): number {
  const {
    flags,
    words,
    paths = [],
    all,
  } = parseOptions("clean", args, {
    "-f": "none",
    "--force": "none",
    "-d": "none",
    "-n": "none",
    "--dry-run": "none",
    "-q": "none",
    "--quiet": "none",
    "-x": "none",
    "-X": "none",
    "-e": "value",
    "--exclude": "value",
  });
  const isDry = flags.has("-n") || flags.has("--dry-run");
  if (!isDry && !flags.has("-f") && !flags.has("--force") && git.isSet("clean.requireforce", true)) {
    throw new GitError(
      "fatal: clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean",
    );
  }
  const { repo } = git;
  const given = [...words, ...paths];
  const spec = new Pathspec(git, given.length > 0 ? given : ["."]);
  const ignored = flags.has("-x") ? "also" : flags.has("-X") ? "only" : "no";
  const kept = new Pathspec(git, [...all("-e"), ...all("--exclude")]);
  const found = untracked(repo.index, repo.folder(), { ...walkOf(git, spec), ignored });
  for (const path of found.sort(byBytes)) {
    const isFolder = path.endsWith("/");
    if (isFolder && !flags.has("-d")) continue;
    if (!kept.isEmpty && kept.has(path.replace(/\/$/, ""))) continue;
    const shown = quotedPath(fromHere(git, path));
    // A repository of its own is left alone, as by a single -f.
    if (isFolder && nodeAt(git.tree, `${repo.root}/${path}.git`)) {
      git.line(`${isDry ? "Would skip" : "Skipping"} repository ${shown}`);
      continue;
    }
    if (!flags.has("-q") && !flags.has("--quiet"))
      git.line(`${isDry ? "Would remove" : "Removing"} ${shown}`);
    if (!isDry) git.tree.remove(`${repo.root}/${path.replace(/\/$/, "")}`, true);
  }
  return 0;
}

export function rm(git: GitCall, args: readonly string[]): number {
  const {
    flags,
    words,
    paths = [],
  } = parseOptions("rm", args, {
    "-r": "none",
    "-f": "none",
    "--force": "none",
    "--cached": "none",
    "-q": "none",
    "--quiet": "none",
    "-n": "none",
    "--ignore-unmatch": "none",
  });
  const { repo } = git;
  const given = [...words, ...paths];
  if (given.length === 0) throw new GitError("fatal: No pathspec was given. Which files should I remove?");
  const spec = new Pathspec(git, given);
  const tracked = [...blobs(repo.index)].map(([path]) => path);
  const missing = spec.unmatched(tracked);
  if (missing !== undefined && !flags.has("--ignore-unmatch")) {
    throw new GitError(`fatal: pathspec '${missing}' did not match any files`);
  }
  for (const path of given) {
    const top = fromTop(git, path);
    if (!flags.has("-r") && entryAt(repo.index, top)?.kind === "tree") {
      throw new GitError(`fatal: not removing '${path}' recursively without -r`);
    }
  }
  const gone = tracked.filter((path) => spec.has(path));
  if (!flags.has("-f") && !flags.has("--force")) refuseEdited(git, gone, flags.has("--cached"));
  for (const path of gone) {
    if (!flags.has("-q") && !flags.has("--quiet")) git.line(`rm '${quotedPath(path)}'`);
    if (flags.has("-n")) continue;
    if (!flags.has("--cached") && workFile(repo, path)) removeFile(repo, path);
    repo.index = withEntry(repo.index, path, undefined);
  }
  return 0;
}

function refuseEdited(git: GitCall, gone: readonly string[], isCached: boolean): void {
  const { repo } = git;
  const head = repo.headTree;
  const lists: [string, string[]][] = [
    ["has staged content different from both the\nfile and the HEAD", []],
    ["has changes staged in the index", []],
    ["has local modifications", []],
  ];
  for (const path of gone) {
    const [committed, staged, work] = [blobAt(head, path), blobAt(repo.index, path)!, workFile(repo, path)];
    const isStaged = !committed || !isSameBlob(committed, staged);
    const isEdited = work !== undefined && !isSameBlob(staged, work);
    if (isStaged && isEdited) lists[0]![1].push(path);
    else if (isStaged && !isCached) lists[1]![1].push(path);
    else if (isEdited && !isCached) lists[2]![1].push(path);
  }
  for (const [text, paths] of lists) {
    if (paths.length === 0) continue;
    const [head2, words] = [
      paths.length === 1 ? "the following file" : "the following files",
      paths.length === 1 ? text : text.replace("has", "have"),
    ];
    throw new GitError(
      `error: ${head2} ${words}:\n${paths.map((path) => `    ${path}`).join("\n")}\n(use --cached to keep the file, or -f to force removal)`,
      1,
    );
  }
}

export function mv(git: GitCall, args: readonly string[]): number {
  const {
    flags,
    words,
    paths = [],
  } = parseOptions("mv", args, { "-f": "none", "--force": "none", "-v": "none", "-k": "none" });
  const { repo, tree } = git;
  const given = [...words, ...paths];
  const to = given.at(-1);
  if (to === undefined || given.length < 2)
    throw new GitError("usage: git mv [<options>] <source>... <destination>", 129);
  const folder = tree.find(joined(git.cwd, to))?.kind === "folder";
  if (given.length > 2 && !folder) throw new GitError(`fatal: destination '${to}' is not a directory`);
  for (const from of given.slice(0, -1)) {
    const source = fromTop(git, from);
    const target = folder
      ? `${fromTop(git, to)}/${source.split("/").at(-1)}`.replace(/^\//, "")
      : fromTop(git, to);
    const entry = entryAt(repo.index, source);
    const what = `source=${from}, destination=${fromHere(git, target)}`;
    if (!nodeAt(tree, `${repo.root}/${source}`)) throw new GitError(`fatal: bad source, ${what}`);
    if (!entry) throw new GitError(`fatal: not under version control, ${what}`);
    if (nodeAt(tree, `${repo.root}/${target}`) && !flags.has("-f") && !flags.has("--force")) {
      throw new GitError(`fatal: destination exists, ${what}`);
    }
    if (!nodeAt(tree, joined(repo.root, `${target}/..`)))
      throw new GitError(`fatal: renaming '${from}' failed: No such file or directory`);
    if (flags.has("-v")) git.line(`Renaming ${source} to ${target}`);
    tree.rename(`${repo.root}/${source}`, `${repo.root}/${target}`);
    repo.index = withEntry(withEntry(repo.index, source, undefined), target, entry);
  }
  return 0;
}

export function lsFiles(git: GitCall, args: readonly string[]): number {
  const {
    flags,
    words,
    paths = [],
  } = parseOptions("ls-files", args, {
    "-c": "none",
    "--cached": "none",
    "-o": "none",
    "--others": "none",
    "-m": "none",
    "--modified": "none",
    "-d": "none",
    "--deleted": "none",
    "-s": "none",
    "--stage": "none",
    "-z": "none",
    "-i": "none",
    "--ignored": "none",
    "--exclude-standard": "none",
    "--error-unmatch": "none",
    "--full-name": "none",
    "--directory": "none",
  });
  const { repo } = git;
  const has = (...names: string[]): boolean => names.some((name) => flags.has(name));
  const given = [...words, ...paths];
  const spec = new Pathspec(git, given);
  const isHere = (path: string): boolean =>
    (given.length > 0 || path.startsWith(git.prefix)) && spec.has(path);
  const found: string[] = [];
  const tracked = [...blobs(repo.index)];
  if (has("-o", "--others")) {
    const ignored = has("-i", "--ignored") ? "only" : has("--exclude-standard") ? "no" : "also";
    found.push(
      ...untracked(repo.index, repo.folder(), { ...walkOf(git, spec), ignored }, !has("--directory")).sort(
        byBytes,
      ),
    );
  }
  if (has("-m", "--modified", "-d", "--deleted")) {
    const onlyGone = !has("-m", "--modified");
    const changes = compareFolder(repo.index, repo.folder(), git.isSet("core.filemode", true));
    found.push(
      ...changes
        .filter(({ now }) => !onlyGone || !now)
        .map(({ path }) => path)
        .sort(byBytes),
    );
  }
  if (
    has("-c", "--cached", "-s", "--stage") ||
    !has("-o", "--others", "-m", "--modified", "-d", "--deleted")
  ) {
    found.push(...tracked.map(([path]) => path));
  }
  const missing = has("--error-unmatch") ? spec.unmatched(found) : undefined;
  if (missing !== undefined) {
    throw new GitError(
      `error: pathspec '${missing}' did not match any file(s) known to git\nDid you forget to 'git add'?`,
      1,
    );
  }
  for (const path of found.filter(isHere)) {
    const shown = has("--full-name") ? path : fromHere(git, path);
    const blob = has("-s", "--stage") ? blobAt(repo.index, path) : undefined;
    const start = blob ? `${blob.mode} ${blobId(blob.content)} 0\t` : "";
    git.out(start + (has("-z") ? `${shown}\0` : `${quotedPath(shown)}\n`));
  }
  return 0;
}
