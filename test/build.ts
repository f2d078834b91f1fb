import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder with the package as it is published: package.json and dist/. */
    readonly packageFolder: string;
  }
}

/**
 * Compiles the sources once for the tests that start processes, into a folder that lasts as long as they do, and gives
 * them all a folder for temporary files, which goes with what they left there.
 */
export default function build({ provide }: TestProject): () => void {
  const temporary = mkdtempSync(join(tmpdir(), "forkgym-tests-"));
  process.env.TMPDIR = temporary;
  const folder = resolve(`.test-build/${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const compiler = resolve("node_modules/typescript/bin/tsc");
  const dist = join(folder, "dist");
  // Type errors are for `npm run check` to report: what compiles in spite of them can be tested.
  spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", dist], {
    stdio: "inherit",
  });
  for (const data of ["core/sandbox/docker/server", "envs/swe-bench/mini/tasks"]) {
    cpSync(data, join(dist, data), { recursive: true });
  }
  copyFileSync("package.json", join(folder, "package.json"));
  provide("packageFolder", folder);
  return () => {
    for (const path of [folder, temporary]) rmSync(path, { recursive: true, force: true });
  };
}
