import { expect, test } from "vitest";
import { gradeLog } from "../../../../envs/swe-bench/grading/grade.ts";
import { instanceWith, logOf } from "./rows.ts";

const row = instanceWith({ logParser: "parse_log_swesmith" }, { family: "swe-smith" });
const grade = (log: string) => gradeLog(row, log, "v5");

test("its pytest names the test before the status", () => {
  expect(grade(logOf("t.py::repaired PASSED [ 50%]\nt.py::kept  PASSED [100%]")).resolved).toBe(true);
  expect(grade(logOf("PASSED t.py::repaired\nPASSED t.py::kept")).resolved).toBe(false);
});

test("a test that is missing from the log is a failure", () => {
  const { resolved, testsStatus } = grade(logOf("t.py::repaired PASSED"));
  expect(resolved).toBe(false);
  expect(testsStatus?.PASS_TO_PASS.failure).toEqual(["t.py::kept"]);
});

test("results count between the markers as `set -x` shows them only, with no look at the whole log", () => {
  const results = "t.py::repaired PASSED\nt.py::kept PASSED\n";
  expect(grade(results + logOf("")).resolved).toBe(false);
  expect(grade(logOf(results).replaceAll("+ : ", "")).refusal).toBe("unreadable");
  expect(grade("+ : '>>>>> End Test Output'\n+ : '>>>>> Start Test Output'\n").refusal).toBe("unreadable");
});

test("a time-out or a patch that did not apply is no run", () => {
  const log = logOf("t.py::repaired PASSED\nt.py::kept PASSED");
  expect(grade(`${log}>>>>> Tests Timed Out: 120 seconds exceeded`).refusal).toBe("not run");
  expect(grade(`${log}>>>>> Patch Apply Failed`).refusal).toBe("not run");
  expect(grade("t.py::repaired PASSED").refusal).toBe("no markers");
});
