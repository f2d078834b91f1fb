import type { Repository, RepositoryOf } from "../workspaces/workspaces.ts";
import { MINI_COMMIT } from "./commit.ts";
import { miniFiles } from "./files.ts";
import { miniRows } from "./rows.ts";

/** The files of a `swe-mini` instance, whatever file its row came from; undefined of any other instance. */
export const miniRepository: RepositoryOf = async ({ id, baseCommit }): Promise<Repository | undefined> => {
  const isOurs = miniRows().some((row) => row.instance_id === id && row.base_commit === baseCommit);
  return isOurs ? { files: miniFiles(id), commit: MINI_COMMIT } : undefined;
};
