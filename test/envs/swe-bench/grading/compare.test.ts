import { describe, expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { compareReport } from "../../../../envs/swe-bench/grading/compare.ts";
import { gradeLog } from "../../../../envs/swe-bench/grading/grade.ts";
import { pythonJson } from "../../../../envs/swe-bench/grading/python-json.ts";
import { instanceReport } from "../../../../envs/swe-bench/grading/report.ts";
import { instanceWith, logOf } from "./rows.ts";

const instance = instanceWith({ passToPass: ["a", "b"] });
const grade = gradeLog(instance, logOf("PASSED t.py::repaired\nPASSED a\nPASSED b"), "v4.1");
const report = pythonJson(instanceReport("x", grade, "v4.1"));
const compare = (text: string) => compareReport(text, "x", grade, "v4.1");

test("our own report agrees, byte for byte", () => {
  expect(compare(report)).toEqual({ differences: [], whole: true, identical: true });
});

test("another layout agrees, but not byte for byte", () => {
  expect(compare(JSON.stringify(JSON.parse(report)))).toEqual({
    differences: [],
    whole: true,
    identical: false,
  });
});

describe("is found to differ", () => {
  const changedBy = (edit: (entry: Record<string, never>) => void) => {
    const copy = JSON.parse(report);
    edit(copy.x);
    return compare(JSON.stringify(copy)).differences;
  };

  test.each([
    ["resolved", { resolved: false }, "resolved: true here, false in report.json"],
    [
      "patch_successfully_applied",
      { patch_successfully_applied: false },
      "patch_successfully_applied: true here, false in report.json",
    ],
    [
      "a field that is missing",
      { tests_status: undefined },
      /^tests_status: \{.* here, nothing in report.json$/,
    ],
    ["a field too many", { other: 1 }, "other: nothing here, 1 in report.json"],
  ])("%s", (_, fields, line) => {
    const differences = changedBy((entry) => Object.assign(entry, fields));
    expect(differences).toEqual([typeof line === "string" ? line : expect.stringMatching(line)]);
  });

  test("the order of a list, and a list that is shorter", () => {
    const list = "tests_status.PASS_TO_PASS.success";
    const edit = (ids: string[]) =>
      changedBy((entry: { tests_status?: { PASS_TO_PASS: { success: string[] } } }) => {
        entry.tests_status!.PASS_TO_PASS.success = ids;
      });
    expect(edit(["b", "a"])).toEqual([
      `${list}: 2 ids here, 2 in report.json; the first difference is number 1: "a" here, "b" there`,
    ]);
    expect(edit(["a"])).toEqual([
      `${list}: 2 ids here, 1 in report.json; the first difference is number 2: "b" here, the end there`,
    ]);
    expect(edit(["a", "b", "c"])).toHaveLength(1);
  });
});

test("a report by other rules is compared in `resolved` alone", () => {
  const v5 = gradeLog(instance, "Killed", "v5");
  expect(compareReport(pythonJson(instanceReport("x", v5, "v5")), "x", grade, "v4.1")).toMatchObject({
    differences: ["resolved: true here, false in report.json"],
    whole: false,
  });
});

test("what is no report of the instance is bad input", () => {
  for (const text of ["{", "null", "{}", '{"y": {}}', '{"x": 3}']) {
    expect(() => compare(text), text).toThrow(InputError);
  }
});
