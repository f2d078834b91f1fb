import type { SandboxLaw } from "./sandbox-lab.ts";
import { execLaws } from "./sandbox-laws-exec.ts";
import { fileLaws } from "./sandbox-laws-files.ts";
import { forkLaws } from "./sandbox-laws-fork.ts";
import { outputLaws } from "./sandbox-laws-output.ts";
import { shellLaws } from "./sandbox-laws-shell.ts";
import { snapshotLaws } from "./sandbox-laws-snapshot.ts";
import { stopLaws } from "./sandbox-laws-stop.ts";

export { FULL_DISK_LAW } from "./sandbox-laws-files.ts";
export { KILL_LAW } from "./sandbox-laws-stop.ts";

/** The laws of the Sandbox contract by name; each rejects if the backend breaks it. */
export const sandboxLaws: Readonly<Record<string, SandboxLaw>> = {
  ...execLaws,
  ...outputLaws,
  ...shellLaws,
  ...stopLaws,
  ...fileLaws,
  ...snapshotLaws,
  ...forkLaws,
};
