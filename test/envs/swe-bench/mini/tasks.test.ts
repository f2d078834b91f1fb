import { afterEach, describe, expect, test } from "vitest";
import { gradeLog } from "../../../../envs/swe-bench/grading/grade.ts";
import type { SweInstance } from "../../../../envs/swe-bench/instance.ts";
import { miniFiles, miniInstances } from "../../../../envs/swe-bench/mini/index.ts";
import { patchedFiles } from "../../../../envs/swe-bench/rows/patch-files.ts";
import { Checkout, hostLacks } from "./host.ts";

const tasks = miniInstances().map((instance) => [instance.id, instance] as const);

describe.each(tasks)("%s", (id, { problemStatement, hidden }) => {
  const visible = Object.values(miniFiles(id)).join("\n");

  test("keeps its hidden tests to itself", () => {
    for (const name of hidden.failToPass.map((test) => test.split(" ")[0]!)) {
      expect(visible).not.toContain(name);
      expect(problemStatement).not.toContain(name);
    }
    expect(hidden.failToPass.length).toBeGreaterThan(0);
    expect(hidden.passToPass.length).toBeGreaterThan(0);
  });

  test("shows only tests that pass with and without the fix", () => {
    for (const [, name] of visible.matchAll(/def (test_\w+)/g)) {
      expect(hidden.passToPass.map((test) => test.split(" ")[0])).toContain(name);
    }
  });

  test("has its tests in the test patch and its fix in the other", () => {
    const touched = (patch: string) => patchedFiles(patch).map(({ after }) => after ?? "nothing");
    for (const path of touched(hidden.testPatch)) expect(path).toMatch(/^tests\/test_\w+\.py$/);
    for (const path of touched(hidden.goldPatch)) expect(path).toMatch(/^(?!tests\/)\w+\/\w+\.py$/);
  });

  test("is of a size that fits: 80 to 300 lines in a handful of modules", () => {
    const python = Object.entries(miniFiles(id)).filter(([path]) => path.endsWith(".py"));
    const lines = python.flatMap(([, text]) => text.trimEnd().split("\n")).length;
    expect(lines).toBeGreaterThanOrEqual(80);
    expect(lines).toBeLessThanOrEqual(300);
    expect(python.length).toBeGreaterThanOrEqual(5);
  });

  test("imports nothing that WASI's Python has not, and its tests have no docstrings", () => {
    const all = `${visible}\n${hidden.testPatch.replace(/^\+/gm, "")}`;
    expect(all).not.toMatch(/\b(?:subprocess|threading|multiprocessing|socket|urllib|asyncio)\b/);
    expect(all).not.toMatch(/def test_\w+\(self\):\n\s+"""/);
    expect(all).not.toContain("subTest");
  });
});

describe.skipIf(hostLacks)(`on this host${hostLacks && ` (skipped: ${hostLacks})`}`, () => {
  let checkout: Checkout | undefined;
  afterEach(() => checkout?.remove());

  const evaluate = (instance: SweInstance, at: Checkout) => {
    const { output } = at.run("bash", ["-c", instance.hidden.evalScript!.replaceAll("/testbed", at.folder)]);
    const ran = [...output.matchAll(/^(test_\w+ \(\S+\)) \.\.\. /gm)].map(([, name]) => name!);
    return { ...gradeLog(instance, output, "v5"), ran: ran.sort() };
  };

  describe.each(tasks)("%s", (id, instance) => {
    const { goldPatch, failToPass, passToPass } = instance.hidden;
    const reproduction = /```python\n([\s\S]*?)```/.exec(instance.problemStatement)![1]!;

    test("without a patch exactly the tests of FAIL_TO_PASS fail, and so does the reproduction", () => {
      checkout = new Checkout(id);
      expect(checkout.must("git", ["rev-parse", "HEAD"]).trim()).toBe(instance.baseCommit);
      expect(checkout.run("python3", ["-"], reproduction).code).not.toBe(0);
      const { ran, resolution, testsStatus } = evaluate(instance, checkout);
      expect(ran).toEqual([...failToPass, ...passToPass].sort());
      expect(testsStatus?.FAIL_TO_PASS).toEqual({ success: [], failure: failToPass });
      expect(testsStatus?.PASS_TO_PASS).toEqual({ success: passToPass, failure: [] });
      expect(resolution).toBe("RESOLVED_NO");
      expect(checkout.must("git", ["status", "--porcelain"])).toBe("");
    });

    test("with the gold patch all tests pass, and so does the reproduction", () => {
      checkout = new Checkout(id);
      checkout.must("git", ["apply", "-"], goldPatch);
      checkout.must("python3", ["-"], reproduction);
      const { resolution, testsStatus } = evaluate(instance, checkout);
      expect(testsStatus?.FAIL_TO_PASS).toEqual({ success: failToPass, failure: [] });
      expect(testsStatus?.PASS_TO_PASS).toEqual({ success: passToPass, failure: [] });
      expect(resolution).toBe("RESOLVED_FULL");
    });
  });

  test("a test that the agent weakened is put back before it counts", () => {
    const [, instance] = tasks.find(([id]) => id === "forkgym__calc-1")!;
    checkout = new Checkout(instance.id);
    checkout.must("bash", ["-c", "echo 'raise SystemExit' > tests/test_calc.py; echo > tests/__init__.py"]);
    const grade = evaluate(instance, checkout);
    expect(grade.testsStatus?.PASS_TO_PASS.success).toEqual(instance.hidden.passToPass);
    expect(grade.resolution).toBe("RESOLVED_NO");
  });
});
