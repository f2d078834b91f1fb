import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunFolder, readManifest } from "../../../core/run/run-folder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "forkgym-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

const manifest = { kind: "rollout", config: { seed: 1, strategy: { name: "patr", options: { every: 5 } } } };

async function openAndClose(wanted = manifest): Promise<boolean> {
  const run = await RunFolder.open(folder, wanted);
  await run.close();
  return run.resumed;
}

test("a second opening resumes", async () => {
  expect([await openAndClose(), await openAndClose()]).toEqual([false, true]);
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const versions = { forkgym: version, node: process.versions.node };
  expect(await readManifest(folder)).toEqual({ ...manifest, versions });
});

test("another config is refused, its first difference named, and nothing overwritten", async () => {
  await openAndClose();
  const before = await readFile(join(folder, "run.json"), "utf8");
  const other = { ...manifest, config: { seed: 1, strategy: { name: "patr", options: { every: 4 } } } };
  await expect(openAndClose(other)).rejects.toThrow(
    `run folder: ${folder} holds another run: \`strategy.options.every\` was 5, now 4; ` +
      "choose another folder, or the same options as before",
  );
  await expect(openAndClose({ ...manifest, kind: "train" })).rejects.toThrow(
    '`kind` was "rollout", now "train"',
  );
  expect(await readFile(join(folder, "run.json"), "utf8")).toBe(before);
});

test("a folder of another format is refused", async () => {
  await writeFile(join(folder, "run.json"), '{"format":2,"kind":"rollout","config":{}}');
  await expect(openAndClose()).rejects.toThrow(
    "has format 2, this version reads format 1; choose another folder",
  );
});

test("a damaged run.json is refused", async () => {
  await writeFile(join(folder, "run.json"), '{"format":1,"ki');
  await expect(openAndClose()).rejects.toThrow(/run\.json is not JSON \(.*\); it was changed by hand/);
  await writeFile(join(folder, "run.json"), '{"format":1}');
  await expect(openAndClose()).rejects.toThrow("run.json lacks `kind` or `config`; it was changed by hand");
});

test("trees without a run.json are not taken over", async () => {
  await writeFile(join(folder, "trees.jsonl"), "{}\n");
  await expect(openAndClose()).rejects.toThrow(
    `${folder} holds trees.jsonl but no run.json; choose another folder`,
  );
});

test("a folder without a run says so", async () => {
  await expect(readManifest(folder)).rejects.toThrow(
    `run folder: ${folder} holds no run.json; is it a run folder?`,
  );
});

test("a folder in use is refused, and free again after closing", async () => {
  const first = await RunFolder.open(folder, manifest);
  await expect(openAndClose()).rejects.toThrow(
    `run.lock is held by process ${process.pid}, which is still running`,
  );
  await first.close();
  expect(await openAndClose()).toBe(true);
});

test("the lock of a dead process, or of one that had the same pid, is taken over", async () => {
  await openAndClose();
  await writeFile(join(folder, "run.lock"), "999999999 123\n");
  expect(await openAndClose()).toBe(true);
  await writeFile(join(folder, "run.lock"), `${process.pid} 1\n`);
  expect(await openAndClose()).toBe(true);
  await writeFile(join(folder, "run.lock"), "");
  expect(await openAndClose()).toBe(true);
});

test("a line that was cut off is dropped with a note", async () => {
  const run = await RunFolder.open(folder, manifest);
  await (await run.log("trees.jsonl")).append({ n: 1 });
  await run.close();
  await writeFile(join(folder, "trees.jsonl"), '{"n":1}\n{"n":2,"te');
  const again = await RunFolder.open(folder, manifest);
  const seen: unknown[] = [];
  await again.log("trees.jsonl", ({ value }) => seen.push(value));
  await again.close();
  expect([seen, again.notes]).toEqual([
    [{ n: 1 }],
    ["trees.jsonl: dropped 10 bytes of a last line that was cut off"],
  ]);
});

test("a run that another version of forkgym began goes on with a note; one without versions without", async () => {
  await openAndClose();
  const file = join(folder, "run.json");
  const { versions, ...rest } = JSON.parse(await readFile(file, "utf8"));
  const notes = async (text: object) => {
    await writeFile(file, JSON.stringify(text));
    const run = await RunFolder.open(folder, manifest);
    await run.close();
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(text);
    return run.notes;
  };
  expect(await notes({ ...rest, versions: { ...versions, node: "1.2.3" } })).toEqual([]);
  expect(await notes(rest)).toEqual([]);
  expect(await readManifest(folder)).toEqual(manifest);
  expect(await notes({ ...rest, versions: { ...versions, forkgym: "0.0.1" } })).toEqual([
    `run.json: begun with forkgym 0.0.1, goes on with ${versions.forkgym}; what they find may differ`,
  ]);
});
