import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, richRepository } from "../../envs/swe-bench/prepare/repositories.ts";
import { SCRIPT } from "../../envs/swe-bench/rows/rows.ts";
import { forkgym, freshFolder, quiet, start } from "../forkgym.ts";

interface Lab {
  readonly folder: string;
  readonly base: string;
  readonly past: string;
}

const TEST_PATCH = `diff --git a/tests/test_app.py b/tests/test_app.py
--- a/tests/test_app.py
+++ b/tests/test_app.py
@@ -1 +1 @@
-old test
+new test
diff --git a/main b/main
new file mode 100644
--- /dev/null
+++ b/main
@@ -0,0 +1 @@
+this name is taken
`;

/** A folder with `rows.jsonl` (o__r-1, o__r-2 and what else is given) and the repository of o/r below `repositories`. */
async function lab(...others: object[]): Promise<Lab> {
  const folder = await freshFolder();
  const { folder: source, base, past } = richRepository(folder);
  await mkdir(join(folder, "repositories/o"), { recursive: true });
  await rename(source, join(folder, "repositories/o/r"));
  const row = {
    repo: "o/r",
    base_commit: base,
    patch: "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n",
    test_patch: TEST_PATCH,
    problem_statement: "it is broken",
    hints_text: "",
    created_at: "2022-03-03T15:14:54Z",
    version: "1.0",
    FAIL_TO_PASS: '["a"]',
    PASS_TO_PASS: "[]",
    image: "none",
    eval_script: SCRIPT,
    log_parser: "parse_log_pytest",
    eval_type: "pass_and_fail",
  };
  const rows = [{ instance_id: "o__r-1" }, { instance_id: "o__r-2", base_commit: past }, ...others];
  await writeFile(
    join(folder, "rows.jsonl"),
    rows.map((each) => `${JSON.stringify({ ...row, ...each })}\n`).join(""),
  );
  return { folder, base, past };
}

const COMMAND = "prepare --dataset rows.jsonl --out w --repo repositories/{repo}";

test("one workspace for each task, a line for each, and a second run finds them", async () => {
  const { folder, base, past } = await lab();
  const first = await forkgym(folder, `${COMMAND} --workers 1`);
  expect(first.code).toBe(0);
  expect(first.stdout).toBe("o__r-1  made\no__r-2  made\n2 made, 0 there already, 0 failed: w\n");
  expect(first.stderr).toMatch(/^prepare: fetching the branches of .*repositories\/o\/r\n$/);
  expect((await readdir(join(folder, "w"))).sort()).toEqual([
    ".mirrors",
    "o__r-1",
    "o__r-1.json",
    "o__r-2",
    "o__r-2.json",
  ]);
  expect(git(join(folder, "w/o__r-1"), "log", "--all", "--format=%H").split("\n")).toEqual([base, past]);
  expect(git(join(folder, "w/o__r-2"), "log", "--all", "--format=%H")).toBe(past);
  expect(await quiet(folder, `${COMMAND} --workers 1`)).toBe(
    "o__r-1  there already\no__r-2  there already\n0 made, 2 there already, 0 failed: w\n",
  );
});

test("files that the test patch brings are not there; those that it changes are", async () => {
  const { folder } = await lab();
  await forkgym(folder, `${COMMAND} --instances o__r-1`);
  expect(await readdir(join(folder, "w/o__r-1"))).not.toContain("main");
  expect(await readFile(join(folder, "w/o__r-1/tests/test_app.py"), "utf8")).toBe("old test\n");
  expect(git(join(folder, "w/o__r-1"), "status", "--porcelain")).toBe("");
});

test("a failed task is named, the others go on, and the exit code is 1", async () => {
  const none = "0123456789012345678901234567890123456789";
  const { folder } = await lab(
    { instance_id: "o__r-3", base_commit: none },
    { instance_id: "x__y-1", repo: "x/y" },
  );
  const { code, stdout } = await forkgym(folder, `${COMMAND} --workers 1 --json`);
  expect(code).toBe(1);
  const source = join(folder, "repositories/o/r");
  expect(JSON.parse(stdout)).toEqual({
    out: "w",
    made: ["o__r-1", "o__r-2"],
    there: [],
    failed: [
      {
        id: "o__r-3",
        message: `prepare: ${source} has no commit ${none}; check \`baseCommit\` and that the repository is the right one`,
      },
      {
        id: "x__y-1",
        message:
          "prepare: no repository at repositories/x/y: there is no such folder; give a folder or an address",
      },
    ],
    refused: [],
  });
  const again = await forkgym(folder, `${COMMAND} --workers 1 --instances o__r-1,x__y-1`);
  expect([again.code, again.stdout]).toEqual([
    1,
    "o__r-1  there already\nx__y-1  failed: prepare: no repository at repositories/x/y: there is no such folder; " +
      "give a folder or an address\n0 made, 1 there already, 1 failed: w\n",
  ]);
});

test("a row that is refused is named and counts as a failure", async () => {
  const { folder } = await lab({ instance_id: "o__r-3", base_commit: 7 });
  const { code, stdout, stderr } = await forkgym(folder, COMMAND);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^left out: .*rows\.jsonl.*3.*base_commit/m);
  expect(stdout).toMatch(/^2 made, 0 there already, 0 failed, 1 rows left out: w$/m);
});

test("--single-commit keeps the past out", async () => {
  const { folder, base } = await lab();
  await forkgym(folder, `${COMMAND} --single-commit --instances o__r-1 --cache mirrors`);
  expect(git(join(folder, "w/o__r-1"), "log", "--all", "--format=%H")).toBe(base);
  expect((await readdir(folder)).includes("mirrors")).toBe(true);
});

test("an instance that is not in the data set is refused before anything is made", async () => {
  const { folder } = await lab();
  const { code, stderr } = await forkgym(folder, `${COMMAND} --instances o__r-1,nobody`);
  expect(code).toBe(2);
  expect(stderr).toContain('no instance "nobody" in the data set');
  expect(await readdir(folder)).not.toContain("w");
});

test("stopped by a signal it says how to go on, leaves nothing half made, and goes on", async () => {
  const { folder } = await lab();
  const running = start(folder, `${COMMAND} --workers 1`);
  running.process.stderr!.once("data", () => running.process.kill("SIGINT"));
  const { code, stderr } = await running.ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/stopped with \d of 2; the same command goes on\n$/);
  const left = await readdir(join(folder, "w"), { recursive: true });
  expect(left.filter((name) => name.includes(".part"))).toEqual([]);
  expect(await quietOnOut(folder)).toContain("0 failed: w\n");
});

async function quietOnOut(folder: string): Promise<string> {
  const { code, stdout } = await forkgym(folder, COMMAND);
  expect(code).toBe(0);
  return stdout;
}
