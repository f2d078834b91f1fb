import type { SweHidden, SweInstance } from "../../../../envs/swe-bench/instance.ts";

/** An instance with only what grading reads. */
export function instanceWith(
  hidden: Partial<SweHidden> = {},
  more: Partial<Omit<SweInstance, "hidden">> = {},
): SweInstance {
  return {
    id: "pallets__flask-1",
    family: "swe-bench",
    repo: "pallets/flask",
    baseCommit: "a".repeat(40),
    problemStatement: "It breaks.",
    image: "none",
    ...more,
    hidden: {
      goldPatch: "",
      goldReversed: false,
      testPatch: "",
      failToPass: ["t.py::repaired"],
      passToPass: ["t.py::kept"],
      evalScript: null,
      logParser: "parse_log_pytest",
      evalType: "pass_and_fail",
      expectedOutput: null,
      hintsText: "",
      ...hidden,
    },
  };
}

/** A log whose results stand between the markers, as `set -x` shows them. */
export function logOf(results: string, after = ""): string {
  return `+ git status\n+ : '>>>>> Start Test Output'\n${results}\n+ : '>>>>> End Test Output'\n${after}`;
}
