import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWasmerSandbox } from "../../../../../core/sandbox/wasmer/index.ts";
import { missing } from "../installed.ts";

/** Scripts, each run in a folder with the same files, and what Debian 12's GNU tools wrote. Bytes are in latin1. */
interface Scenes {
  readonly files: Readonly<Record<string, string>>;
  readonly scenes: { readonly script: string; stdout: string; stderr: string; exitCode: number }[];
}

const folder = new URL("scenes/", import.meta.url);
const all = readdirSync(folder).map((name) => ({
  name: name.replace(".json", ""),
  ...(JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Scenes),
}));

/** FORKGYM_RECORD=1 asks this machine's tools again, to be done after a script was added. */
if (process.env.FORKGYM_RECORD === "1") for (const each of all) record(each);

function record({ name, files, scenes }: (typeof all)[number]): void {
  for (const scene of scenes) {
    const top = mkdtempSync(join(tmpdir(), "forkgym-gnu-"));
    const cwd = join(top, "testbed");
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), Buffer.from(content, "latin1"));
    }
    const env = { PATH: process.env.PATH, HOME: "/home/user", LANG: "C.UTF-8" };
    const end = spawnSync("bash", ["-c", scene.script], { cwd, env, input: "" });
    const text = (bytes: Buffer): string => bytes.toString("latin1").replaceAll(`${top}/`, "/");
    scene.stdout = text(end.stdout);
    scene.stderr = text(end.stderr).replace(/bash: line \d+: /g, "bash: ");
    scene.exitCode = end.status ?? -1;
    rmSync(top, { recursive: true });
  }
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify({ files, scenes }, undefined, 2)}\n`);
}

const reason = missing("just-bash");

describe.skipIf(reason)(`commands do what GNU's do${reason && ` (skipped: ${reason})`}`, () => {
  test.each(all)("$name", async ({ files, scenes }) => {
    const bytes = Object.entries(files).map(([path, text]) => [path, Buffer.from(text, "latin1")]);
    const box = await createWasmerSandbox({
      python: false,
      cwd: "/testbed",
      files: Object.fromEntries(bytes),
    });
    const start = await box.snapshot();
    const found = [];
    for (const { script } of scenes) {
      const fork = await box.fork(start);
      // Beside a marker, so that the streams' bytes are exact.
      const { stdout, stderr, exitCode } = await fork.exec(["bash", "-c", script]);
      const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
      found.push({ script, stdout: text(stdout.bytes), stderr: text(stderr.bytes), exitCode });
      await fork.close();
    }
    expect(found).toEqual(scenes);
    await box.close();
  });
});
