import { expect, test } from "vitest";
import { classifyInfra } from "../../../../envs/swe-bench/grading/infra.ts";

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
