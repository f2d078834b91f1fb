import { expect, test } from "vitest";
import { shareIn } from "../../../../envs/swe-bench/progress/outcome.ts";

test.each<[string, string, number | null, number | undefined]>([
  ["unittest, all well", "...\n-----\nRan 4 tests in 0.001s\n\nOK (skipped=1)\n", 0, 1],
  ["unittest, some not", "Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=2)", 1, 0.25],
  ["pytest", "=== 1 failed, 3 passed, 2 warnings in 0.12s ===", 1, 0.75],
  ["pytest, errors alone", "=== 2 errors in 0.12s ===", 1, 0],
  ["sympy", "==== tests finished: 9 passed, 1 failed, in 0.02 seconds ====", 1, 0.9],
  ["the last of two summaries", "Ran 1 test in 0s\n\nOK\n=== 1 failed, 1 passed in 1s ===", 1, 0.5],
  ["the last of two, the other way round", "=== 1 failed, 1 passed in 1s ===\nRan 1 test in 0s\n\nOK", 0, 1],
  ["nothing ran", "=== no tests ran in 0.01s ===", 5, undefined],
  ["nothing ran in unittest", "Ran 0 tests in 0.000s\n\nOK", 0, undefined],
  ["a script that ends well", "3\n", 0, 1],
  ["a script that does not", "", 1, 0],
  ["a traceback in a pipe", "Traceback (most recent call last):\n  ...\nAssertionError", 0, 0],
  ["no exit code", "fine", null, 1],
])("%s", (_, text, exitCode, expected) => {
  expect(shareIn(text, exitCode)).toBe(expected);
});
