import { join } from "node:path";
import { InputError } from "../../../core/errors.ts";
import { type GitOptions, gitIn, wordsOf } from "./git.ts";
import type { Source } from "./source.ts";

/** No tags, no notes, no FETCH_HEAD: what is asked for and nothing else. */
const PLAIN = ["--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--update-shallow"];

/**
 * Fetches one commit and its past into a repository that may be empty. The other side sends what can be reached from
 * that commit, so nothing that came after it is ever here.
 * @throws {InputError} if the repository does not answer or has no such commit.
 */
export async function obtainCommit(
  folder: string,
  source: Source,
  commit: string,
  { ref, single = false, signal }: { ref?: string; single?: boolean } & GitOptions,
): Promise<void> {
  const depth = single ? ["--depth=1"] : [];
  const wanted = ref === undefined ? commit : `${commit}:${ref}`;
  try {
    const git = gitIn(folder, { signal, userConfig: true });
    await git.raw(["fetch", ...PLAIN, ...depth, "--", source.address, wanted]);
  } catch (error) {
    throw faultOf(error, source, commit, signal);
  }
}

/**
 * Writes a commit and its past from a mirror into a repository: what `obtainCommit` does without a receiver that works
 * out again what the sender knows, which is most of the time.
 * @throws {InputError} if the mirror is not whole.
 */
export async function packCommit(
  folder: string,
  mirror: Source,
  commit: string,
  { signal }: GitOptions,
): Promise<void> {
  try {
    const git = gitIn(mirror.address, { signal, input: `${commit}\n` });
    const pack = join(folder, ".git/objects/pack/pack");
    await git.raw(["pack-objects", "--quiet", "--revs", "--delta-base-offset", pack]);
  } catch (error) {
    throw faultOf(error, mirror, undefined, signal);
  }
}

/** Fetches all branches and tags, for a mirror. @throws {InputError} if the repository does not answer. */
export async function obtainAll(folder: string, source: Source, { signal }: GitOptions): Promise<void> {
  const all = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
  try {
    const git = gitIn(folder, { signal, userConfig: true });
    await git.raw(["fetch", "--prune", ...PLAIN, "--", source.address, ...all]);
  } catch (error) {
    throw faultOf(error, source, undefined, signal);
  }
}

/** Whether the repository has the commit, as a commit. */
export async function hasCommit(folder: string, commit: string, options: GitOptions): Promise<boolean> {
  try {
    return (await gitIn(folder, options).raw(["cat-file", "-t", commit])).trim() === "commit";
  } catch {
    options.signal?.throwIfAborted();
    return false;
  }
}

function faultOf(error: unknown, source: Source, commit: string | undefined, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  const words = wordsOf(error);
  if (commit !== undefined && /not our ref|couldn't find remote ref|no such remote ref/i.test(words)) {
    return new InputError(
      `prepare: ${source.shown} has no commit ${commit}; check \`baseCommit\` and that the repository is the right one`,
    );
  }
  if (/unadvertised object/i.test(words)) {
    return new InputError(
      `prepare: ${source.shown} hands out the tips of its branches only, and ${commit} is none; give \`cache\`, which fetches all branches`,
    );
  }
  return new InputError(
    `prepare: cannot read from ${source.shown}: ${words}; check the address and the network`,
  );
}
