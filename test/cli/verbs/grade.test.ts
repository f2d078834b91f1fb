import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gradeLog } from "../../../envs/swe-bench/grading/grade.ts";
import { pythonJson } from "../../../envs/swe-bench/grading/python-json.ts";
import { instanceReport } from "../../../envs/swe-bench/grading/report.ts";
import type { RuleSet } from "../../../envs/swe-bench/grading/rules.ts";
import { instanceWith, logOf } from "../../envs/swe-bench/grading/rows.ts";
import { SCRIPT } from "../../envs/swe-bench/rows/rows.ts";
import { forkgym, freshFolder, quiet } from "../forkgym.ts";

const PASSING = logOf("PASSED t.py::repaired\nPASSED t.py::kept");

/** A folder with the rows a-1, a-2 and a-3 and, in logs/, graded logs of the first two at different depths. */
async function graded(rules: RuleSet = "v4.1"): Promise<string> {
  const folder = await freshFolder();
  const row = (id: string) => ({
    repo: "pallets/flask",
    instance_id: id,
    base_commit: "a".repeat(40),
    patch: "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n",
    test_patch: "",
    problem_statement: "It breaks.",
    hints_text: "",
    version: "2.3",
    FAIL_TO_PASS: ["t.py::repaired"],
    PASS_TO_PASS: ["t.py::kept"],
    image: "none",
    eval_script: SCRIPT,
    log_parser: "parse_log_pytest",
    eval_type: "pass_and_fail",
  });
  await writeFile(
    join(folder, "rows.jsonl"),
    ["a-1", "a-2", "a-3"].map((id) => `${JSON.stringify(row(id))}\n`).join(""),
  );
  await evaluation(join(folder, "logs/run/model/a-1"), PASSING, rules);
  await evaluation(join(folder, "logs/a-2"), logOf("PASSED t.py::kept"), rules);
  return folder;
}

async function evaluation(folder: string, log: string, rules: RuleSet): Promise<void> {
  await mkdir(folder, { recursive: true });
  const id = folder.slice(folder.lastIndexOf("/") + 1);
  await writeFile(join(folder, "test_output.txt"), log);
  await writeFile(join(folder, "report.json"), reportOf(id, log, rules));
}

function reportOf(id: string, log: string, rules: RuleSet): string {
  return pythonJson(instanceReport(id, gradeLog(instanceWith({}, { id }), log, rules), rules));
}

test("a folder of any depth is graded by the rules of its reports, one line a log, and agrees", async () => {
  for (const rules of ["v4.1", "v5"] as const) {
    const folder = await graded(rules);
    expect(await quiet(folder, "grade logs --dataset rows.jsonl")).toBe(
      [
        `a-2: RESOLVED_NO, fail-to-pass 0/1, pass-to-pass 1/1; ${rules}, agrees`,
        `a-1: RESOLVED_FULL, fail-to-pass 1/1, pass-to-pass 1/1; ${rules}, agrees`,
        "compared whole: 2, of them 2 byte for byte as report.json is",
        "2 of 2 agree\n",
      ].join("\n"),
    );
  }
});

test("a disagreement is named and ends with code 1", async () => {
  const folder = await graded();
  await writeFile(join(folder, "logs/a-2/test_output.txt"), PASSING);
  const { code, stdout } = await forkgym(folder, "grade logs --dataset rows.jsonl");
  expect(code).toBe(1);
  expect(stdout).toContain("a-2: RESOLVED_FULL, fail-to-pass 1/1, pass-to-pass 1/1; v4.1, DIFFERS\n");
  expect(stdout).toContain("  resolved: true here, false in report.json\n");
  expect(stdout.endsWith("\n1 of 2 agree\n")).toBe(true);
});

test("by other rules than the report's, `resolved` alone must agree", async () => {
  const folder = await graded();
  const stdout = await quiet(folder, "grade logs --dataset rows.jsonl --rules v5");
  expect(stdout).toContain("by other rules: 2\n2 of 2 agree\n");
});

test("one log is graded for the row of its folder or of --row, and says nothing of agreement without a report", async () => {
  const folder = await graded();
  await writeFile(join(folder, "other.txt"), PASSING);
  expect(await quiet(folder, "grade logs/a-2/test_output.txt --dataset rows.jsonl")).toContain(
    "1 of 1 agree\n",
  );
  expect(await quiet(folder, "grade other.txt --dataset rows.jsonl --row a-3")).toBe(
    "a-3: RESOLVED_FULL, fail-to-pass 1/1, pass-to-pass 1/1; v5, no report.json\n",
  );
});

test("a log that cannot be graded, one without row, one that is missing and a bad report do not stop the others", async () => {
  const folder = await graded();
  const cut = PASSING.split("+ : '>>>>> End")[0]!;
  await evaluation(join(folder, "logs/a-3"), `${cut}Killed\n`, "v5");
  await evaluation(join(folder, "logs/zz-9"), PASSING, "v4.1");
  await mkdir(join(folder, "logs/x/a-3"), { recursive: true });
  await writeFile(join(folder, "logs/x/a-3/report.json"), reportOf("a-3", PASSING, "v4.1"));
  await evaluation(join(folder, "logs/y/a-3"), PASSING, "v4.1");
  await writeFile(join(folder, "logs/y/a-3/report.json"), "{");
  const { code, stdout, stderr } = await forkgym(folder, "grade logs --dataset rows.jsonl");
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toContain("a-3: not graded, no markers, maybe by out_of_memory; v5, agrees\n");
  expect(stdout).toContain("zz-9: not graded: the data set has no row of this id\n");
  expect(stdout).toMatch(/^a-3: not graded: cannot read logs\/x\/a-3\/test_output.txt \(ENOENT/m);
  expect(stdout).toMatch(/^a-3: not graded: grading: report.json of a-3 is no JSON/m);
  expect(stdout.endsWith("\n3 of 6 agree\n")).toBe(true);
});

test("a report of no patch agrees without a log", async () => {
  const folder = await graded();
  await mkdir(join(folder, "one/a-3"), { recursive: true });
  await writeFile(join(folder, "one/a-3/report.json"), pythonJson(instanceReport("a-3", null, "v4.1")));
  expect(await quiet(folder, "grade one --dataset rows.jsonl")).toContain("a-3: no patch; v4.1, agrees\n");
});

test("JSON holds each verdict", async () => {
  const folder = await graded();
  const { outcomes, problems, numCompared, numAgreeing } = JSON.parse(
    await quiet(folder, "grade logs --dataset rows.jsonl --json"),
  );
  expect([problems, numCompared, numAgreeing]).toEqual([[], 2, 2]);
  expect(outcomes[1]).toMatchObject({ id: "a-1", rules: "v4.1", grade: { resolved: true } });
});

test("a path that is not there, a folder without logs and --row for many logs are bad input", async () => {
  const folder = await graded();
  await mkdir(join(folder, "empty"));
  for (const [args, words] of [
    ["nowhere", "grade: cannot read nowhere"],
    ["empty", "grade: no test_output.txt and no report.json under empty"],
    ["logs --row a-1", "grade: --row is for one log, and logs holds 2"],
  ] as const) {
    const { code, stderr } = await forkgym(folder, `grade ${args} --dataset rows.jsonl`);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  }
});

test("swe-mini is a data set here as it is for eval", async () => {
  const folder = await freshFolder();
  await mkdir(join(folder, "forkgym__calc-1"));
  await writeFile(join(folder, "forkgym__calc-1/test_output.txt"), logOf("nothing"));
  expect(await quiet(folder, "grade forkgym__calc-1 --dataset swe-mini")).toMatch(
    /^forkgym__calc-1: .*; v5, no report\.json\n$/,
  );
});
