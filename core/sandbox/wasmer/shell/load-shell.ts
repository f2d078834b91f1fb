import { locate } from "../optional.ts";

let shell: Promise<typeof import("just-bash")> | undefined;

/** @throws {InputError} if just-bash is not installed. */
export async function loadShell(): Promise<typeof import("just-bash")> {
  locate("just-bash");
  shell ??= import("just-bash");
  return shell;
}
