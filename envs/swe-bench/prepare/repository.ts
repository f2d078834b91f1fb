import { stat } from "node:fs/promises";
import { InputError } from "../../../core/errors.ts";
import type { RepositoryOf } from "../workspaces/workspaces.ts";
import { archiveOf } from "./archive.ts";
import { filesOf } from "./files.ts";
import { workspaceIn } from "./place.ts";
import { commitOf } from "./prepare.ts";

/**
 * The repositories in a folder that `forkgym prepare` filled, by instance.
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
    const commit = await commitOf(place);
    if (commit !== baseCommit.toLowerCase()) {
      throw new InputError(
        `prepare: expected ${place} at commit ${baseCommit}, found ${commit ?? "none"}; remove it and prepare it again`,
      );
    }
    return { files: await filesOf(place), archive: await archiveOf(place) };
  };
}
