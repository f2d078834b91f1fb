import { readFile, rm, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { EvalStore } from "../../../cli/eval/store.ts";
import { gradeLog } from "../../../envs/swe-bench/grading/grade.ts";
import { logPaths } from "../../../envs/swe-bench/grading/log-layout.ts";
import type { RuleSet } from "../../../envs/swe-bench/grading/rules.ts";
import { preparedScript } from "../../../envs/swe-bench/grading/script.ts";
import type { SweInstance } from "../../../envs/swe-bench/instance.ts";
import { toInstance } from "../../../envs/swe-bench/rows/normalise.ts";
import { classicRow, SCRIPT } from "../../envs/swe-bench/rows/rows.ts";
import { freshFolder } from "../forkgym.ts";

const rowWith = (more: object = {}) =>
  toInstance(classicRow({ PASS_TO_PASS: [], eval_script: SCRIPT, ...more }));
const PASSED =
  "+ : '>>>>> Start Test Output'\nPASSED tests/test_a.py::test_a\n>>>>> Test Exit Code: 0\n+ : '>>>>> End Test Output'\n";

/** A store with one evaluation in it. */
async function stored(instance: SweInstance, rules: RuleSet = "v5", testOutput = PASSED) {
  const root = await freshFolder();
  const store = new EvalStore(root, "run", rules);
  const traces = { evalScript: preparedScript(instance, rules), runLog: "applied\n", testOutput };
  const grade = gradeLog(instance, testOutput, rules);
  await store.save("m", instance.id, "patch", { outcome: "graded", grade, traces, ms: 1 });
  return { root, store, paths: logPaths(root, "run", "m", instance.id) };
}

const resolved = (report: string | undefined) => /"resolved": (\w+)/.exec(report ?? "")?.[1];

test("the same row, patch and rules find the verdict, and nothing is written", async () => {
  const { store, paths } = await stored(rowWith());
  const before = await readFile(paths.report, "utf8");
  expect(await store.find("m", rowWith(), "patch")).toEqual({ report: before });
  expect(await store.find("m", rowWith(), "another")).toBeUndefined();
  expect(await store.find("n", rowWith(), "patch")).toBeUndefined();
  expect(await readFile(paths.report, "utf8")).toBe(before);
});

test("what was run under other rules is run again", async () => {
  for (const [first, then] of [
    ["v5", "v4.1"],
    ["v4.1", "v5"],
  ] as const) {
    const { root } = await stored(rowWith(), first);
    expect(await new EvalStore(root, "run", then).find("m", rowWith(), "patch")).toBeUndefined();
  }
});

test("what was run with another script is run again", async () => {
  const { store } = await stored(rowWith());
  const changed = rowWith({ eval_script: SCRIPT.replace("true", "pytest") });
  expect(await store.find("m", changed, "patch")).toBeUndefined();
});

test("a row whose expected tests were corrected has its log graded again, and the report says so", async () => {
  const { store, paths } = await stored(rowWith());
  const corrected = rowWith({ FAIL_TO_PASS: ["tests/test_a.py::test_a", "tests/test_a.py::test_c"] });
  const found = await store.find("m", corrected, "patch");
  expect(resolved(found?.report)).toBe("false");
  expect(await readFile(paths.report, "utf8")).toBe(found?.report);
  expect(resolved((await store.find("m", rowWith(), "patch"))?.report)).toBe("true");
});

test("without its log, or with one that shows a broken environment alone, a verdict is none", async () => {
  const { store, paths } = await stored(rowWith());
  await writeFile(paths.testOutput, "Cannot connect to the Docker daemon\n");
  expect(await store.find("m", rowWith(), "patch")).toBeUndefined();
  await rm(paths.testOutput);
  expect(await store.find("m", rowWith(), "patch")).toBeUndefined();
});
