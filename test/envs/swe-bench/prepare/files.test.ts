import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesOf } from "../../../../envs/swe-bench/prepare/files.ts";
import { prepareWorkspace } from "../../../../envs/swe-bench/prepare/prepare.ts";
import { CONTENT, freshFolder, richRepository } from "./repositories.ts";

test("the working tree without its repository, byte for byte; a link inside is a copy", async () => {
  const parent = freshFolder();
  const { folder, base } = richRepository(parent);
  const out = join(parent, "out");
  await prepareWorkspace({ repo: folder, baseCommit: base, out });
  const files = await filesOf(out);
  expect(Object.keys(files).sort()).toEqual(
    [...Object.keys(CONTENT), ".gitmodules", "bin/run", "app link"].sort(),
  );
  for (const [name, content] of Object.entries(CONTENT)) {
    expect(Buffer.from(files[name]!), name).toEqual(Buffer.from(content));
  }
  expect(files["app link"]).toEqual(files["src/app.py"]);
});

test("links that lead out, into .git, to folders, nowhere or in a circle are left out", async () => {
  const parent = freshFolder();
  const folder = join(parent, "f");
  mkdirSync(join(folder, ".git"), { recursive: true });
  mkdirSync(join(folder, "..inside"));
  for (const name of ["secret", "f/.git/HEAD", "f/..inside/x"]) writeFileSync(join(parent, name), name);
  const links = {
    out: "../secret",
    git: ".git/HEAD",
    to: "..inside",
    none: "nothing",
    circle: "circle",
    x: "..inside/x",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
  expect(Object.keys(await filesOf(folder))).toEqual(["..inside/x", "x"]);
});

test("a file named __proto__ is a file", async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, "__proto__"), "x");
  expect(Object.keys(await filesOf(folder))).toEqual(["__proto__"]);
  expect(readFileSync(join(folder, "__proto__"), "utf8")).toBe("x");
});
