import { expect, test } from "vitest";
import { createGrader } from "../../../../envs/swe-bench/grader.ts";
import { whyUngradable } from "../../../../envs/swe-bench/rows/gradable.ts";
import { toInstance } from "../../../../envs/swe-bench/rows/normalise.ts";
import { workspacesOf } from "../../../../envs/swe-bench/settings.ts";
import { classicRow, SCRIPT } from "./rows.ts";

const withScript = (eval_script: string | null) => toInstance(classicRow({ eval_script, version: null }));

test("a row without a script that is known cannot be graded, under either rule set", () => {
  for (const rules of ["v4.1", "v5"] as const)
    expect(whyUngradable(withScript(null), rules)).toContain("no eval_script");
  expect(whyUngradable(toInstance(classicRow()), "v4.1")).toBeUndefined();
});

test("markers that only `set -x` shows need it, where the rules do not add it", () => {
  const untraced = withScript(SCRIPT.replace("set -uxo", "set -uo"));
  expect(whyUngradable(untraced, "v4.1")).toContain("`set -x`");
  expect(whyUngradable(untraced, "v5")).toBeUndefined();
  for (const line of ["set -x", "set -o xtrace", "set -uxo pipefail"])
    expect(whyUngradable(withScript(SCRIPT.replace("set -uxo pipefail", line)), "v4.1")).toBeUndefined();
  const printed = withScript(SCRIPT.replace("set -uxo pipefail\n", "").replaceAll(": '", "echo '"));
  expect(whyUngradable(printed, "v4.1")).toBeUndefined();
});

test("a grader says so by the rules that it has", () => {
  const workspaces = workspacesOf({ backend: "wasmer", engine: "auto", network: false });
  const untraced = withScript(SCRIPT.replace("set -uxo", "set -uo"));
  expect(() => createGrader({ workspaces, rules: "v4.1" }).check!(untraced)).toThrow(
    "swe-bench: pallets__flask-1 cannot be graded: its eval_script has no `set -x`",
  );
  createGrader({ workspaces }).check!(untraced);
});
