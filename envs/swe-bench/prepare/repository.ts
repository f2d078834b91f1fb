import { stat } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../../core/errors.ts";
import type { RepositoryOf } from "../workspaces/workspaces.ts";
import { archiveOf } from "./archive.ts";
import { workspaceIn } from "./place.ts";
import { commitOf } from "./prepare.ts";

/**
 * The repositories in a folder that `forkgym prepare` filled, by instance. A folder without `.git`, which somebody made
 * by hand, is taken for the sources at the base commit.
 * @throws {InputError} from the call, if what is there is not the instance's base commit.
 */
export function preparedRepository(folder: string): RepositoryOf {
  return async ({ id, baseCommit }) => {
    const place = workspaceIn(folder, id);
    const isThere = await stat(place).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isThere) return undefined;
    const hasGit = await stat(join(place, ".git")).then(
      () => true,
      () => false,
    );
    const archive = (options: { readonly git: boolean }) => archiveOf(place, options);
    if (!hasGit) return { archive, hasGit };
    const commit = await commitOf(place);
    if (commit !== baseCommit.toLowerCase()) {
      throw new InputError(
        `prepare: expected ${place} at commit ${baseCommit}, found ${commit ?? "none"}; remove it and prepare it again`,
      );
    }
    return { archive, hasGit };
  };
}
