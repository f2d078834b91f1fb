import { Fault } from "../../tree/fault.ts";
import { joined } from "../../tree/path.ts";
import { type ApplyWorld, apply, nameOf, type Outcome } from "../apply/apply.ts";
import { parsePatch } from "../apply/parse-patch.ts";
import { BadPatch, type FilePatch, reversed } from "../apply/patch-file.ts";
import { type GitCall, GitError } from "../call.ts";
import { linesOf } from "../diff/lines.ts";
import { globPattern } from "../ignore.ts";
import { blobAt, entryAt, isSameBlob, withEntry } from "../objects.ts";
import { type Options, parseOptions } from "../options.ts";
import { Repository } from "../repository.ts";
import { nodeAt, writeText } from "../text-files.ts";
import { blobOf, removeFile, type workFile, writeFile } from "../worktree.ts";

export function applyPatch(git: GitCall, args: readonly string[]): number {
  const options = parseOptions("apply", args, {
    "-v": "none",
    "--verbose": "none",
    "-q": "none",
    "--quiet": "none",
    "--check": "none",
    "-R": "none",
    "--reverse": "none",
    "--reject": "none",
    "-3": "none",
    "--3way": "none",
    "--index": "none",
    "--cached": "none",
    "-p": "value",
    "--directory": "value",
    "--include": "value",
    "--exclude": "value",
    "--unidiff-zero": "none",
    "--whitespace": "value",
    "--allow-empty": "none",
    "--binary": "none",
    "--apply": "none",
  });
  const { flags, words, paths = [] } = options;
  const has = (...names: string[]): boolean => names.some((name) => flags.has(name));
  const whitespace = flags.get("--whitespace");
  if (whitespace !== undefined && !["nowarn", "warn"].includes(whitespace)) {
    throw new GitError(`error: this git of the sandbox has no --whitespace=${whitespace}`, 129);
  }
  const patches = patchesOf(git, options, [...words, ...paths]);
  const target = new Target(git, has("--cached"), has("--index", "-3", "--3way"));
  const isQuiet = has("-q", "--quiet");
  const isVerbose = has("-v", "--verbose", "--reject") && !isQuiet;
  const world: ApplyWorld = {
    find: (path) => target.find(path),
    isFolder: (path) => target.isFolder(path),
    missing: (path) => target.missing(path),
    isBeyondLink: (path) => target.isBeyondLink(path),
    inTheWay: has("--cached") ? "already exists in index" : "already exists in working directory",
    say: (line) => {
      if (!isQuiet) git.err(line);
    },
  };
  const reject = has("--reject") && !has("--check");
  const outcomes = orBad(() =>
    apply(patches, world, { reject, verbose: isVerbose, zeroContext: has("--unidiff-zero") }),
  );
  if (!outcomes) return 1;
  if (has("--check")) return 0;
  let failed = outcomes.length < patches.length;
  for (const { writes } of outcomes)
    for (const [path, blob] of writes) if (!blob) target.write(path, undefined);
  for (const { writes } of outcomes) for (const [path, blob] of writes) if (blob) target.write(path, blob);
  target.done();
  for (const outcome of outcomes) {
    if (outcome.rejected.length > 0) failed = true;
    if (outcome.rejected.length > 0) writeRejects(target, outcome, world);
    else if (isVerbose) world.say(`Applied patch ${nameOf(outcome.patch)} cleanly.`);
  }
  return failed ? 1 : 0;
}

function patchesOf(git: GitCall, { flags, all }: Options, files: readonly string[]): FilePatch[] {
  const has = (...names: string[]): boolean => names.some((name) => flags.has(name));
  const strip = Number(flags.get("-p") ?? 1);
  const folder = flags.get("--directory")?.replace(/\/*$/, "/") ?? "";
  const prefix = git.hasRepo ? git.prefix : "";
  const found: FilePatch[] = [];
  for (const file of files.length > 0 ? files : ["-"]) {
    const node = file === "-" ? undefined : git.tree.find(joined(git.cwd, file));
    if (file !== "-" && node?.kind !== "file") {
      throw new GitError(`error: can't open patch '${file}': No such file or directory`);
    }
    const lines = linesOf(node?.kind === "file" ? node.content : git.stdin);
    const patches = orBad(() => parsePatch(lines, strip));
    if (patches.length === 0 && !has("--allow-empty")) {
      throw new GitError('error: No valid patches in input (allow with "--allow-empty")');
    }
    found.push(...patches);
  }
  const placed = found.map((patch): FilePatch => {
    const before = folder + (patch.isGit ? "" : prefix);
    const put = (path: string | undefined): string | undefined =>
      path === undefined ? undefined : before + path;
    return { ...patch, old: put(patch.old), now: put(patch.now) };
  });
  const [includes, excludes] = [all("--include"), all("--exclude")].map((globs) => {
    return globs.map((glob) => RegExp(`^${globPattern(glob, false)}$`, "s"));
  });
  const used = placed.filter(({ old, now }) => {
    const path = (now ?? old)!;
    const isIn = includes!.length === 0 || includes!.some((glob) => glob.test(path));
    const isUsed = path.startsWith(prefix) && isIn && !excludes!.some((glob) => glob.test(path));
    if (!isUsed && has("-v", "--verbose")) git.err(`Skipped patch '${path}'.`);
    return isUsed;
  });
  return has("-R", "--reverse") ? used.map(reversed).reverse() : used;
}

function orBad<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof BadPatch) throw new GitError(`error: ${error.message}`);
    throw error;
  }
}

/** Where a patch is put: the working tree, the index, or both. */
class Target {
  readonly #git: GitCall;
  readonly #onlyIndex: boolean;
  readonly #both: boolean;
  readonly #repo: Repository | undefined;
  #index: Repository["index"] | undefined;

  constructor(git: GitCall, onlyIndex: boolean, both: boolean) {
    this.#git = git;
    this.#onlyIndex = onlyIndex;
    this.#both = both;
    // Outside of a repository the paths start at the folder that git runs in.
    this.#repo = onlyIndex || both ? git.repo : Repository.find(git.tree, git.cwd);
    if (onlyIndex || both) this.#index = git.repo.index;
  }

  get #place(): Pick<Repository, "tree" | "root"> {
    return this.#repo ?? { tree: this.#git.tree, root: this.#git.cwd };
  }

  find(path: string): ReturnType<typeof workFile> {
    const staged = this.#index && blobAt(this.#index, path);
    if (this.#onlyIndex) return staged;
    const node = nodeAt(this.#git.tree, `${this.#place.root}/${path}`);
    const work = node && node.kind !== "folder" ? blobOf(node) : undefined;
    if (!this.#both) return work;
    if (staged && work && !isSameBlob(staged, work))
      throw new GitError(`error: ${path}: does not match index`, 1);
    return staged && work;
  }

  isFolder(path: string): boolean {
    if (this.#onlyIndex) return entryAt(this.#index!, path)?.kind === "tree";
    return nodeAt(this.#git.tree, `${this.#place.root}/${path}`)?.kind === "folder";
  }

  missing(path: string): string {
    if (this.#index && !blobAt(this.#index, path)) return "does not exist in index";
    try {
      this.#place.tree.lstat(`${this.#place.root}/${path}`);
    } catch (error) {
      if (error instanceof Fault && error.code === "ENOTDIR") return "Not a directory";
    }
    return "No such file or directory";
  }

  isBeyondLink(path: string): boolean {
    const { tree, root } = this.#place;
    const names = path.split("/");
    return names.some(
      (_, at) => at > 0 && nodeAt(tree, `${root}/${names.slice(0, at).join("/")}`)?.kind === "link",
    );
  }

  write(path: string, blob: ReturnType<typeof workFile>): void {
    if (this.#index) this.#index = withEntry(this.#index, path, blob);
    if (this.#onlyIndex) return;
    if (blob) this.#refuseInTheWay(path, blob);
    if (blob) writeFile(this.#place, path, blob);
    else removeFile(this.#place, path);
  }

  /** A folder with something in it, or a file where a folder is to be. */
  #refuseInTheWay(path: string, { mode }: { readonly mode: string }): void {
    const { tree, root } = this.#place;
    const there = nodeAt(tree, `${root}/${path}`);
    const isFull = there?.kind === "folder" && there.entries.size > 0;
    if (!isFull && !this.#isBelowFile(path)) return;
    const why = isFull ? "Directory not empty" : "Not a directory";
    throw new GitError(`error: unable to write file '${path}' mode ${mode}: ${why}`);
  }

  #isBelowFile(path: string): boolean {
    const { tree, root } = this.#place;
    const names = path.split("/");
    return names.some((_, at) => {
      const above = at > 0 ? nodeAt(tree, `${root}/${names.slice(0, at).join("/")}`) : undefined;
      return above !== undefined && above.kind !== "folder";
    });
  }

  writeText(path: string, text: string): void {
    writeText(this.#git.tree, `${this.#place.root}/${path}`, text);
  }

  done(): void {
    if (this.#index) this.#git.repo.index = this.#index;
  }
}

function writeRejects(target: Target, { patch, rejected }: Outcome, world: ApplyWorld): void {
  const { length } = rejected;
  const name = (patch.now ?? patch.old)!;
  world.say(`Applying patch ${nameOf(patch)} with ${length} reject${length === 1 ? "" : "s"}...`);
  for (const [at, hunk] of patch.hunks.entries()) {
    world.say(rejected.includes(hunk) ? `Rejected hunk #${at + 1}.` : `Hunk #${at + 1} applied cleanly.`);
  }
  const text = rejected.map((hunk) => Buffer.from(hunk.text, "latin1").toString()).join("");
  target.writeText(`${name}.rej`, `diff a/${name} b/${name}\t(rejected hunks)\n${text}`);
}
