import { access, rename } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../core/json.ts";
import { makeAlone } from "./alone.ts";
import { gitIn } from "./git.ts";
import { hasCommit, obtainAll, obtainCommit } from "./obtain.ts";
import type { Source } from "./source.ts";

interface MirrorOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onNote: (text: string) => void;
}

/**
 * A bare copy of a repository's branches and tags below `cache`, which has the commit. It is fetched once however many
 * ask, also from several processes: one fetches, the others wait. It only grows, so reading needs no lock.
 * @throws {InputError} if the repository does not answer or has no such commit.
 */
export async function mirrorWith(
  commit: string,
  source: Source,
  cache: string,
  { signal, onNote }: MirrorOptions,
): Promise<Source> {
  const folder = join(cache, nameOf(source));
  const mirror: Source = { address: folder, shown: source.shown, isMirror: true };
  if (await isIn(folder, commit, signal)) return mirror;
  return makeAlone(folder, signal, async (part) => {
    if (await isIn(folder, commit, signal)) return mirror;
    onNote(`prepare: fetching the branches of ${source.shown}`);
    if (await isMirror(folder)) await obtainAll(folder, source, { signal });
    else {
      await gitIn(part, { signal }).raw(["init", "--quiet", "--bare", "--template="]);
      await obtainAll(part, source, { signal });
      await rename(part, folder);
    }
    // It may be on no branch, as after a force push; most hosts hand it out all the same. The ref keeps it.
    if (!(await isIn(folder, commit, signal))) {
      await obtainCommit(folder, source, commit, { ref: `refs/forkgym/${commit}`, signal });
    }
    return mirror;
  });
}

/** `owner__name` and what tells apart repositories of that name. */
function nameOf({ shown }: Source): string {
  const words = shown.replace(/(\.git)?\/*$/, "").split(/[/:]/);
  const name = words
    .slice(-2)
    .join("__")
    .replaceAll(/[^\w.-]/g, "_");
  return `${name}-${sha256(shown).slice(0, 12)}.git`;
}

async function isIn(folder: string, commit: string, signal?: AbortSignal): Promise<boolean> {
  return (await isMirror(folder)) && hasCommit(folder, commit, { signal });
}

function isMirror(folder: string): Promise<boolean> {
  return access(join(folder, "HEAD")).then(
    () => true,
    () => false,
  );
}
