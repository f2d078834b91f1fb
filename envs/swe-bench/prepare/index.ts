export { workspaceIn } from "./place.ts";
export { prepareWorkspace } from "./prepare.ts";
export { preparedRepository } from "./repository.ts";
