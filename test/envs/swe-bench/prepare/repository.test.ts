import { join } from "node:path";
import { expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import type { SweInstance } from "../../../../envs/swe-bench/instance.ts";
import { preparedRepository, prepareWorkspace } from "../../../../envs/swe-bench/prepare/index.ts";
import { commit, freshFolder, richRepository } from "./repositories.ts";

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
  const found = await preparedRepository(parent)(instance("o__r-1", base));
  expect(Buffer.from(found!.files["src/app.py"]!).toString()).toContain("a - b");
  expect(found!.archive!.length).toBeGreaterThan(10_000);
  expect(await preparedRepository(parent)(instance("o__r-2", base))).toBeUndefined();
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
