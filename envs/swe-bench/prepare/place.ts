import { join, resolve } from "node:path";
import { InputError } from "../../../core/errors.ts";

/** Where an instance's workspace is below a folder of workspaces. @throws {InputError} if its id would lead elsewhere. */
export function workspaceIn(folder: string, id: string): string {
  if (/^\w[\w.+-]*$/.test(id)) return join(resolve(folder), id);
  throw new InputError(
    `prepare: expected an \`instance_id\` of letters, digits, _ . + and -, got ${JSON.stringify(id)}`,
  );
}
