import { describe, expect, test } from "vitest";
import { classifyInfra, whyNoVerdict } from "../../../../envs/swe-bench/grading/infra.ts";
import { logOf } from "./rows.ts";

test.each([
  ["Failed to launch the browser", "browser_launch_failed", "environment"],
  ["x: cannot open display :0", "display_unavailable", "environment"],
  ["a\nKilled\nb", "out_of_memory", "environment"],
  ["OSError: Cannot allocate memory", "out_of_memory", "environment"],
  ["Error response from daemon: no", "container_unavailable", "environment"],
  ["curl: Could not resolve host: x", "network_unreachable", "environment"],
  ["ModuleNotFoundError: x", "missing_module", "ambiguous"],
  ["collected 0 items", "no_tests_collected", "ambiguous"],
  ["\n\nTimeout error: 1800 seconds exceeded.", "tests_timed_out", "ambiguous"],
])("%j is %s", (text, reason, tier) => {
  expect(classifyInfra(text)).toEqual({ reason, tier });
});

test("the first signature of the list wins, wherever it stands", () => {
  expect(classifyInfra("no tests ran\nModuleNotFoundError\nKilled")?.reason).toBe("out_of_memory");
});

test("a line that merely holds Killed, and a plain failure, are no sign", () => {
  expect(classifyInfra("Killed by a test\nx Killed\nFAILED t.py::a - AssertionError")).toBe(null);
  expect(classifyInfra("")).toBe(null);
});

describe("a run of the tests that resolved nothing", () => {
  const evalScript = ": '>>>>> Start Test Output'\npytest\n: '>>>>> End Test Output'\n";
  const half = "+ : '>>>>> Start Test Output'\nt.py::a PASSED\n";
  const whole = logOf("t.py::a FAILED");
  const why = (testOutput: string, exitCode = 0, missing = false, script = evalScript) =>
    whyNoVerdict({ evalScript: script, testOutput, exitCode, missing });

  test.each([
    ["whole", whole, 1],
    ["stopped by its script", half, 1],
    ["whole, with a full disk in a test's output", logOf("E OSError: No space left on device"), 0],
    ["whole, with a full disk in a diff before", `+error: No space left on device\n${whole}`, 0],
    ["whole, with a test that was killed", logOf("/eval.sh: line 9: 12 Killed   pytest"), 0],
  ])("is a verdict if it is %s", (_, log, exitCode) => {
    expect(why(log, exitCode)).toBeUndefined();
  });

  test("is a verdict if its script has no end to reach", () => {
    expect(why("t.py::a FAILED", 0, true, "pytest")).toBeUndefined();
  });

  test.each([
    ["killed", whole, 137, "the tests were killed"],
    ["empty", " \n", 0, "the tests printed nothing (exit code 0)"],
    ["cut", half, 0, "the log of the tests is cut before their end"],
    ["stopped by SIGHUP", half, 129, "the tests were stopped before their end (exit code 129)"],
    ["stopped by SIGTERM before they began", "+ git status\n", 143, /exit code 143/],
    [
      "out of disk before they began",
      `/eval.sh: line 4: cannot create temp file for here-document: No space left on device\n${whole}`,
      1,
      "no disk or memory left",
    ],
  ])("is none if it is %s", (_, log, exitCode, reason) => {
    expect(why(log, exitCode)).toMatch(reason);
  });

  test("is none if no test has a result, and the disk was full or the command was killed", () => {
    expect(why(logOf("OSError: [Errno 28] No space left on device"), 1, true)).toBe("no disk or memory left");
    expect(why(logOf("/eval.sh: line 9:    12 Killed   pytest"), 0, true)).toBe("the tests were killed");
    expect(why(logOf("ImportError"), 1, true)).toBeUndefined();
  });
});
