import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import type { SweInstance } from "../../../../envs/swe-bench/instance.ts";
import { preparedRepository, prepareWorkspace } from "../../../../envs/swe-bench/prepare/index.ts";
import type { Repository } from "../../../../envs/swe-bench/workspaces/workspaces.ts";
import { commit, freshFolder, richRepository } from "./repositories.ts";

type Prepared = Extract<Repository, { readonly hasGit: boolean }>;

const instance = (id: string, baseCommit: string): SweInstance => ({
  id,
  family: "swe-bench",
  repo: "o/r",
  baseCommit,
  problemStatement: "",
  image: "",
  hidden: {
    goldPatch: "",
    goldReversed: false,
    testPatch: "",
    failToPass: [],
    passToPass: [],
    evalScript: null,
    logParser: "",
    evalType: "pass_and_fail",
    expectedOutput: null,
    hintsText: "",
  },
});

test("an instance's repository is found by its id; of one that was not prepared there is none", async () => {
  const parent = freshFolder();
  const { folder, base } = richRepository(parent);
  await prepareWorkspace({ repo: folder, baseCommit: base, out: join(parent, "o__r-1") });
  const found = (await preparedRepository(parent)(instance("o__r-1", base))) as Prepared;
  expect(found.hasGit).toBe(true);
  const [whole, bare] = [await found.archive({ git: true }), await found.archive({ git: false })];
  expect(Buffer.from(whole).includes(".git/HEAD")).toBe(true);
  expect(Buffer.from(bare).includes(".git/HEAD")).toBe(false);
  expect(Buffer.from(bare).includes("src/app.py")).toBe(true);
  expect(await preparedRepository(parent)(instance("o__r-2", base))).toBeUndefined();
});

test("a folder without .git, made by hand, is taken for the sources at the base commit", async () => {
  const parent = freshFolder();
  mkdirSync(join(parent, "o__r-1"));
  writeFileSync(join(parent, "o__r-1/a.py"), "x = 1\n");
  const found = (await preparedRepository(parent)(instance("o__r-1", "0".repeat(40)))) as Prepared;
  expect([found.hasGit, Buffer.from(await found.archive({ git: true })).includes("x = 1")]).toEqual([
    false,
    true,
  ]);
});

test("another commit than the instance's is refused, as is an id that leads elsewhere", async () => {
  const parent = freshFolder();
  const { folder, base, past } = richRepository(parent);
  const place = join(parent, "o__r-1");
  await prepareWorkspace({ repo: folder, baseCommit: past, out: place });
  const find = (id: string) => preparedRepository(parent)(instance(id, base));
  await expect(find("o__r-1")).rejects.toThrow(
    new InputError(
      `prepare: expected ${place} at commit ${base}, found ${past}; remove it and prepare it again`,
    ),
  );
  const now = commit(place, { a: "a" });
  await expect(find("o__r-1")).rejects.toThrow(`found ${now}`);
  for (const id of ["../x", "", ".", "a/b", "-x"]) {
    await expect(find(id)).rejects.toThrow(
      new InputError(
        `prepare: expected an \`instance_id\` of letters, digits, _ . + and -, got ${JSON.stringify(id)}`,
      ),
    );
  }
});
