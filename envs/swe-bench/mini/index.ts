export { MINI_COMMIT } from "./commit.ts";
export { type Difficulty, miniFiles } from "./files.ts";
export { miniRepository } from "./repository.ts";
export { type MiniRow, miniRows } from "./rows.ts";
export { miniInstances, miniSets } from "./sets.ts";
