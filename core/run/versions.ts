import { createRequire } from "node:module";

/** What a run was begun with, for people: it does not decide whether a folder can be gone on with. */
export interface Versions {
  readonly forkgym: string;
  readonly node: string;
}

/** Those of this process; `unknown` where forkgym was bundled without its package.json. */
export function currentVersions(): Versions {
  return { forkgym: packageVersion(), node: process.versions.node };
}

function packageVersion(): string {
  try {
    const { version } = createRequire(import.meta.url)("forkgym/package.json") as {
      readonly version: string;
    };
    return version;
  } catch {
    return "unknown";
  }
}
