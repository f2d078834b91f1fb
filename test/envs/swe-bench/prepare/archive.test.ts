import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import { emptyState, FileTree } from "../../../../core/sandbox/wasmer/tree/file-tree.ts";
import { untar } from "../../../../core/sandbox/wasmer/tree/untar.ts";
import { archiveOf } from "../../../../envs/swe-bench/prepare/archive.ts";
import { prepareWorkspace } from "../../../../envs/swe-bench/prepare/prepare.ts";
import { dockerTest, image } from "../../../core/sandbox/docker/docker.ts";
import { freshFolder, git, namesIn, richRepository } from "./repositories.ts";

function unpack(archive: Uint8Array, folder: string): void {
  mkdirSync(folder);
  execFileSync("tar", ["-xf", "-", "-C", folder], { input: archive });
}

async function preparedFolder(parent: string): Promise<string> {
  const { folder, base } = richRepository(parent);
  const out = join(parent, "prepared");
  await prepareWorkspace({ repo: folder, baseCommit: base, out });
  return out;
}

/** Kind, mode and content of everything below a folder, as find and sha256sum see it. */
function listing(folder: string): string {
  const script =
    "find . -printf '%p %y %m %l\\n' | sort; find . -type f -print0 | sort -z | xargs -0 sha256sum";
  return execFileSync("bash", ["-c", script], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
}

test("tar unpacks what was there: contents, modes, links, empty folders, long names, the repository", async () => {
  const parent = freshFolder();
  const prepared = await preparedFolder(parent);
  const target = join(parent, "unpacked");
  unpack(await archiveOf(prepared), target);
  expect(listing(target)).toBe(listing(prepared));
  expect(git(target, "status", "--porcelain")).toBe("");
  expect(git(target, "fsck", "--full")).toBe("");
});

test("without the repository: the working tree alone, but not less than that", async () => {
  const parent = freshFolder();
  const folder = join(parent, "f");
  mkdirSync(join(folder, "sub/.git"), { recursive: true });
  mkdirSync(join(folder, ".git"));
  for (const name of ["a", ".git/HEAD", "sub/.git/HEAD"]) writeFileSync(join(folder, name), name);
  unpack(await archiveOf(folder, { git: false }), join(parent, "g"));
  expect(await namesIn(join(parent, "g"))).toEqual(["a", "sub/.git/HEAD"]);
});

test("the wasmer sandbox unpacks it too", async () => {
  const parent = freshFolder();
  const prepared = await preparedFolder(parent);
  const tree = new FileTree(emptyState());
  tree.mkdirs("/testbed");
  untar(tree, "/testbed", await archiveOf(prepared, { git: false }));
  const long = `deep/${"long name/".repeat(12)}leaf.txt`;
  for (const name of ["with spaces/größe 东京.py", "image.bin", long]) {
    expect(Buffer.from(tree.read(`/testbed/${name}`)), name).toEqual(readFileSync(join(prepared, name)));
  }
  expect(tree.lstat("/testbed/app link").kind).toBe("link");
  expect(tree.lstat("/testbed/bin/run").mode & 0o111).toBe(0o111);
  expect(tree.lstat("/testbed/vendor/module").kind).toBe("folder");
});

dockerTest("in Docker, git finds nothing changed and nothing of the future", async () => {
  const parent = freshFolder();
  const prepared = await preparedFolder(parent);
  const sandbox = await createDockerSandbox({ image: image! });
  try {
    await sandbox.putArchive("/testbed", await archiveOf(prepared));
    const script = "git status --porcelain && git rev-list --all --count && git fsck --unreachable";
    const { exitCode, stdout } = await sandbox.exec(script, { cwd: "/testbed", merge: true });
    expect([exitCode, stdout.text]).toEqual([0, "2\n"]);
  } finally {
    await sandbox.close();
  }
});

test("law: any names, contents and modes come back", async () => {
  const name = fc
    .array(fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map((part) => part.replaceAll(/[/\0]|^\.+$/g, "_").slice(0, 60)))
    .filter((parts) => parts.every((part) => Buffer.byteLength(part) <= 200));
  const file = fc.record({
    content: fc.uint8Array({ maxLength: 1100 }),
    mode: fc.constantFrom(0o644, 0o755, 0o600),
    link: fc.option(fc.string({ minLength: 1, maxLength: 180, unit: "grapheme-ascii" })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, file), { maxLength: 5 }), async (files) => {
      const parent = freshFolder();
      const folder = join(parent, "f");
      mkdirSync(folder);
      files.forEach(([parts, { content, mode, link }], at) => {
        const path = join(folder, String(at), ...parts);
        mkdirSync(join(path, ".."), { recursive: true });
        if (link === null) writeFileSync(path, content);
        else symlinkSync(link, path);
        if (link === null) chmodSync(path, mode);
      });
      unpack(await archiveOf(folder), join(parent, "g"));
      expect(listing(join(parent, "g"))).toBe(listing(folder));
    }),
    { numRuns: 25 },
  );
});

test("names that are no UTF-8 keep their bytes, also long ones", async () => {
  const parent = freshFolder();
  const folder = join(parent, "f");
  mkdirSync(folder);
  const odd = Buffer.concat([
    Buffer.from(`${folder}/`),
    Buffer.from([0xe9, 0xff]),
    Buffer.from("x".repeat(150)),
  ]);
  writeFileSync(odd, "content");
  unpack(await archiveOf(folder), join(parent, "g"));
  expect(listing(join(parent, "g"))).toBe(listing(folder));
});

test("names and links just below and above what a header holds", async () => {
  const parent = freshFolder();
  const folder = join(parent, "f");
  mkdirSync(folder);
  for (const length of [98, 99, 100, 101, 102]) {
    writeFileSync(join(folder, "a".repeat(length)), "content");
    symlinkSync("b".repeat(length), join(folder, String(length)));
    mkdirSync(join(folder, "c".repeat(length)));
  }
  unpack(await archiveOf(folder), join(parent, "g"));
  expect(listing(join(parent, "g"))).toBe(listing(folder));
});

test("the same folder gives the same bytes, with dates to the second", async () => {
  const parent = freshFolder();
  const folder = join(parent, "f");
  mkdirSync(folder);
  for (const name of ["b", "a", "ä"]) writeFileSync(join(folder, name), name);
  const archive = await archiveOf(folder);
  expect(await archiveOf(folder)).toEqual(archive);
  unpack(archive, join(parent, "g"));
  const seconds = (name: string) => Math.floor(statSync(join(parent, name)).mtimeMs / 1000);
  expect(seconds("g/a")).toBe(seconds("f/a"));
});

test("a pipe in the folder is refused by name", async () => {
  const folder = freshFolder();
  execFileSync("bash", ["-c", "mkfifo pipe"], { cwd: folder });
  await expect(archiveOf(folder)).rejects.toThrow(
    new InputError(`prepare: ${join(folder, "pipe")} is no file, folder or link; remove it`),
  );
});
