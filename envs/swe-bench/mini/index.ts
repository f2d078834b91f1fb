export { MINI_COMMIT } from "./commit.ts";
export { miniFiles } from "./files.ts";
export { miniRepository } from "./repository.ts";
export { miniRows } from "./rows.ts";
export { miniInstances, miniSets } from "./sets.ts";
