import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWasmerSandbox } from "../../../../../core/sandbox/wasmer/index.ts";
import { missing } from "../installed.ts";
import { ENV } from "./host.ts";

/** Scripts, run one after the other in one folder, and what git 2.39.5 and GNU patch 2.7.6 wrote. */
interface Scenes {
  readonly name: string;
  readonly scenes: { readonly script: string; stdout: string; stderr: string; exitCode: number }[];
}

const file = new URL("scenes.json", import.meta.url);
const all = JSON.parse(readFileSync(file, "utf8")) as Scenes[];

/** FORKGYM_RECORD=1 asks this machine's git and patch again, to be done after a script was added. */
if (process.env.FORKGYM_RECORD === "1") {
  for (const { scenes } of all) {
    const top = mkdtempSync(join(tmpdir(), "forkgym-scenes-"));
    const cwd = join(top, "testbed");
    for (const folder of [cwd, join(top, "tmp"), join(top, "home")]) mkdirSync(folder);
    const env = {
      ...ENV,
      PATH: process.env.PATH,
      HOME: join(top, "home"),
      T: join(top, "tmp"),
      LC_ALL: "C.UTF-8",
    };
    for (const scene of scenes) {
      const end = spawnSync("bash", ["-c", scene.script], { cwd, env });
      const text = (bytes: Buffer): string =>
        bytes
          .toString("latin1")
          .replaceAll(`${top}/`, "/")
          .replace(/bash: line \d+: /g, "bash: ");
      scene.stdout = text(end.stdout);
      scene.stderr = text(end.stderr);
      scene.exitCode = end.status ?? -1;
    }
  }
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
}

const reason = missing("just-bash");

describe.skipIf(reason)(
  `git and patch say what the real ones say${reason && ` (skipped: ${reason})`}`,
  () => {
    test.each(all.map(({ name, scenes }) => [name, scenes] as const))("%s", async (_, scenes) => {
      const env = { ...ENV, HOME: "/home", T: "/tmp" };
      const box = await createWasmerSandbox({ python: false, cwd: "/testbed", env });
      for (const { script, ...expected } of scenes) {
        const { stdout, stderr, exitCode } = await box.exec(script);
        const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
        expect({ stdout: text(stdout.bytes), stderr: text(stderr.bytes), exitCode }, script).toEqual(
          expected,
        );
      }
      await box.close();
    });
  },
);
