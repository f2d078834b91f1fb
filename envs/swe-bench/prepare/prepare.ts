import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { InputError } from "../../../core/errors.ts";
import { canonicalJson } from "../../../core/json.ts";
import { beside, makeAlone } from "./alone.ts";
import { BRANCH, build } from "./build.ts";
import { checkGit } from "./git.ts";
import { mirrorWith } from "./mirror.ts";
import { sourceOf } from "./source.ts";

export interface PrepareOptions {
  /** A folder with a repository, or its address (https, http, ssh, git, file). */
  readonly repo: string;
  /** 40 hexadecimal digits. */
  readonly baseCommit: string;
  /** Folder to be made. Beside it comes `<out>.json`, which says what it holds. */
  readonly out: string;
  /** Files and folders, relative to `out`, that must not be there. Git sees no change. @default none */
  readonly hide?: readonly string[];
  /** Keep the commit without its past. @default false: all of it stays */
  readonly singleCommit?: boolean;
  /** Folder of mirrors: many commits of one repository then cost one clone, and each takes less time. @default no mirror */
  readonly cache?: string;
  readonly signal?: AbortSignal;
  /** What goes on, for people. */
  readonly onNote?: (text: string) => void;
}

export interface Prepared {
  /** Absolute. */
  readonly folder: string;
  /** False if it was there already. */
  readonly made: boolean;
}

/**
 * A folder with a repository as it was at a commit. Its one branch `main` is that commit; of what came later nothing is
 * there: no commit, tag, branch, stash, note, reflog, remote or loose object. The working tree is that of the commit,
 * byte for byte: no filter, no change of line ends, submodules empty, LFS files as pointers.
 *
 * It is made beside `out` and moved there, so that it is whole or absent. The same call again finds it there.
 *
 * What must not be readable follows SWE-bench 4.1 (`git gc --prune=now` after the tags that are newer) and NeMo Gym's
 * `anti_cheat_setup.sh`; here it is not removed but never fetched.
 * @throws {InputError} if git is missing or too old, the repository does not answer, the commit is not there, or `out`
 * holds something else.
 */
export async function prepareWorkspace(options: PrepareOptions): Promise<Prepared> {
  const { hide = [], singleCommit = false, cache, signal, onNote = () => {} } = options;
  signal?.throwIfAborted();
  const commit = options.baseCommit.toLowerCase();
  if (!/^[0-9a-f]{40}$/.test(commit)) {
    throw new InputError(
      `prepare: expected 40 hexadecimal digits as \`baseCommit\`, got ${JSON.stringify(options.baseCommit)}`,
    );
  }
  for (const name of hide) checkName(name);
  const source = sourceOf(options.repo);
  const folder = resolve(options.out);
  const stamp = canonicalJson({
    format: 1,
    repo: source.shown,
    baseCommit: commit,
    singleCommit,
    hide: [...hide].sort(),
  });
  if (await isThere(folder, stamp, commit)) return { folder, made: false };

  try {
    return await makeAlone(folder, signal, async (part) => {
      if (await isThere(folder, stamp, commit)) return { folder, made: false };
      await checkGit(part);
      const near =
        cache === undefined ? source : await mirrorWith(commit, source, resolve(cache), { signal, onNote });
      await build(part, near, { commit, hide, single: singleCommit, signal });
      signal?.throwIfAborted();
      await settle(part, folder, stamp);
      return { folder, made: true };
    });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}

/** Moves the folder to its place, its stamp first: a folder without one would be somebody else's. */
async function settle(part: string, folder: string, stamp: string): Promise<void> {
  const note = beside(folder, "json");
  await writeFile(note, `${stamp}\n`);
  await rename(note, `${folder}.json`);
  try {
    await rename(part, folder);
  } catch (error) {
    await rm(`${folder}.json`, { force: true });
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    throw new InputError(`prepare: ${folder} was filled meanwhile; remove it, or choose another \`out\``);
  }
}

/** @throws {InputError} if the folder holds something else. */
async function isThere(folder: string, stamp: string, commit: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    if (error.code === "ENOTDIR")
      throw new InputError(`prepare: ${folder} is a file; choose another \`out\``);
    throw error;
  });
  if (names.length === 0) return false;
  const found = await textOf(`${folder}.json`);
  if (found?.trim() !== stamp) {
    const what = found === undefined ? "is not empty" : "holds a workspace made with other options";
    throw new InputError(`prepare: ${folder} ${what}; remove it, or choose another \`out\``);
  }
  if ((await commitOf(folder)) === commit) return true;
  throw new InputError(
    `prepare: the repository in ${folder} was changed since; remove it, or choose another \`out\``,
  );
}

/** The commit that a workspace is at, if nothing moved it. Read as text: git would act on settings that an agent left. */
export async function commitOf(folder: string): Promise<string | undefined> {
  const head = await textOf(join(folder, ".git/HEAD"));
  return head?.trim() === `ref: ${BRANCH}` ? (await textOf(join(folder, ".git", BRANCH)))?.trim() : undefined;
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

function checkName(name: string): void {
  const parts = name.split("/");
  if (name === "" || isAbsolute(name) || parts.includes("..") || parts[0]?.toLowerCase() === ".git") {
    throw new InputError(
      `prepare: expected paths inside the repository in \`hide\`, got ${JSON.stringify(name)}`,
    );
  }
}
