import { expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { gradeLog } from "../../../../envs/swe-bench/grading/grade.ts";
import { readLog } from "../../../../envs/swe-bench/grading/log.ts";
import { instanceWith } from "./rows.ts";

const row = (expectedOutput: Record<string, string>) =>
  instanceWith({ expectedOutput, logParser: "parse_log_r2e" }, { family: "r2e-gym" });
const log = (...lines: string[]) =>
  ["== test session ==", "FAILED r2e_tests/t.py::no", "=== short test summary info ===", ...lines].join("\n");
const resolved = (expected: Record<string, string>, text: string) =>
  gradeLog(row(expected), text, "v5").resolved;

const EXPECTED = { "T.a": "PASSED", b: "FAILED", c: "ERROR" };
const LINES = [
  "PASSED r2e_tests/t.py::T::a",
  "FAILED r2e_tests/t.py::b - ValueError: x",
  "ERROR r2e_tests/t.py::c - boom",
];

test("resolved if the tests are the expected ones and each fares as expected, failing ones too", () => {
  expect(resolved(EXPECTED, log(...LINES))).toBe(true);
  expect(resolved(EXPECTED, log(...LINES.toReversed()))).toBe(true);
});

test("not if one is missing, too many, or fares otherwise; even if it passes where it should fail", () => {
  expect(resolved(EXPECTED, log(...LINES.slice(1)))).toBe(false);
  expect(resolved(EXPECTED, log(...LINES, "PASSED r2e_tests/t.py::d"))).toBe(false);
  expect(resolved(EXPECTED, log(LINES[0]!, "PASSED r2e_tests/t.py::b", LINES[2]!))).toBe(false);
  const { testsStatus } = gradeLog(row(EXPECTED), log(LINES[0]!, "PASSED t.py::b", "PASSED t.py::d"), "v5");
  expect(testsStatus?.FAIL_TO_PASS).toEqual({ success: ["T.a"], failure: ["b", "c", "d"] });
});

test("the same number of tests under other names is no agreement", () => {
  expect(resolved({ a: "PASSED" }, log("PASSED t.py::b"))).toBe(false);
});

test("colours, carriage returns and what follows ` - ` count for nothing, on both sides", () => {
  const coloured = log("\x1b[32mPASSED\x1b[0m t.py::\x1b[1;31mT::a\x1b[0m\r", ...LINES.slice(1));
  const bytes = new TextEncoder().encode(coloured);
  expect(resolved(EXPECTED, readLog(bytes, "r2e-gym"))).toBe(true);
  expect(
    resolved({ "\x1b[32mT.a\x1b[0m": "PASSED", "b - old words": "FAILED", c: "ERROR" }, log(...LINES)),
  ).toBe(true);
});

test("no summary is no verdict", () => {
  const grade = gradeLog(row(EXPECTED), "ImportError", "v5");
  expect([grade.applied, grade.resolved, grade.refusal]).toEqual([false, false, "no markers"]);
});

test("only what stands before a second summary counts", () => {
  expect(resolved(EXPECTED, log(...LINES, "short test summary info", "PASSED t.py::d"))).toBe(true);
});

test("a row without expected output is bad input", () => {
  const none = instanceWith({}, { family: "r2e-gym" });
  expect(() => gradeLog(none, log(), "v5")).toThrow(InputError);
});
