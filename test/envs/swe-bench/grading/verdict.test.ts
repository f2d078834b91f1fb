import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RULE_SETS, type RuleSet } from "../../../../envs/swe-bench/grading/rules.ts";
import { resolutionOf, testsStatus } from "../../../../envs/swe-bench/grading/verdict.ts";

const words = ["PASSED", "FAILED", "SKIPPED", "ERROR", "XFAIL", "ERROR:"] as const;

function fate(status: string | undefined, list: "FAIL_TO_PASS" | "PASS_TO_PASS", rules: RuleSet): string {
  const statuses = new Map(status === undefined ? [] : [["t", status]]);
  const got = testsStatus({ failToPass: ["t"], passToPass: ["t"] }, statuses, rules, "pass_and_fail")[list];
  return got.success.length > 0 ? "success" : got.failure.length > 0 ? "failure" : "neither";
}

describe("what becomes of an expected test", () => {
  test.each([
    ["PASSED", "success", "success", "success", "success"],
    ["XFAIL", "success", "success", "success", "success"],
    ["FAILED", "failure", "failure", "failure", "failure"],
    ["ERROR", "failure", "failure", "failure", "failure"],
    [undefined, "failure", "failure", "failure", "failure"],
    ["SKIPPED", "neither", "neither", "failure", "success"],
    ["ERROR:", "neither", "neither", "neither", "neither"],
  ])("%s: %s and %s in v4.1, %s and %s in v5", (status, f41, p41, f5, p5) => {
    expect(fate(status, "FAIL_TO_PASS", "v4.1")).toBe(f41);
    expect(fate(status, "PASS_TO_PASS", "v4.1")).toBe(p41);
    expect(fate(status, "FAIL_TO_PASS", "v5")).toBe(f5);
    expect(fate(status, "PASS_TO_PASS", "v5")).toBe(p5);
  });

  test("under fail_only all but FAILED succeeds, a missing test too", () => {
    const statuses = new Map([
      ["a", "FAILED"],
      ["b", "ERROR"],
      ["c", "SKIPPED"],
    ]);
    for (const rules of RULE_SETS) {
      const ids = ["a", "b", "c", "d"];
      const { FAIL_TO_PASS, PASS_TO_PASS } = testsStatus(
        { failToPass: ids, passToPass: ids },
        statuses,
        rules,
        "fail_only",
      );
      for (const list of [FAIL_TO_PASS, PASS_TO_PASS]) {
        expect(list).toEqual({ success: ["b", "c", "d"], failure: ["a"] });
      }
    }
  });
});

describe("an id that is cut off in a parameter", () => {
  const cut = (statuses: readonly (readonly [string, string])[], rules: RuleSet, id = "t[log(x") => {
    const expected = { failToPass: [id], passToPass: [] };
    return testsStatus(expected, new Map(statuses), rules, "pass_and_fail").FAIL_TO_PASS.success.length === 1;
  };

  test("stands for the tests that it begins, under v5", () => {
    expect(cut([["t[log(x)]", "PASSED"]], "v5")).toBe(true);
    expect(cut([["t[log(x)]", "PASSED"]], "v4.1")).toBe(false);
  });

  test("is no pass if they disagree, and one if they pass and fail as expected", () => {
    const two = (status: string) =>
      cut(
        [
          ["t[log(x)-1]", "PASSED"],
          ["t[log(x)-2]", status],
        ],
        "v5",
      );
    expect([two("PASSED"), two("XFAIL"), two("FAILED"), two("SKIPPED")]).toEqual([true, true, false, false]);
  });

  test("is taken as it is if it is there", () => {
    const both = [
      ["t[log(x", "FAILED"],
      ["t[log(x)]", "PASSED"],
    ] as const;
    expect(cut(both, "v5")).toBe(false);
  });

  test("must have more [ than ], so that a plain name never stands for others", () => {
    expect(cut([["test_ab", "PASSED"]], "v5", "test_a")).toBe(false);
    expect(cut([["t[a]b", "PASSED"]], "v5", "t[a]")).toBe(false);
  });
});

describe("resolution", () => {
  const of = (f2p: readonly string[], p2p: readonly string[], rules: RuleSet = "v4.1") => {
    const name = (list: string) => (_: string, at: number) => `${list}${at}`;
    const ids = { failToPass: f2p.map(name("f")), passToPass: p2p.map(name("p")) };
    const statuses = new Map([
      ...f2p.map((status, at) => [`f${at}`, status] as const),
      ...p2p.map((status, at) => [`p${at}`, status] as const),
    ]);
    return resolutionOf(testsStatus(ids, statuses, rules, "pass_and_fail"));
  };

  test("is FULL, PARTIAL or NO", () => {
    expect(of(["PASSED"], ["PASSED"])).toBe("RESOLVED_FULL");
    expect(of(["PASSED", "FAILED"], ["PASSED"])).toBe("RESOLVED_PARTIAL");
    expect(of(["FAILED"], ["PASSED"])).toBe("RESOLVED_NO");
    expect(of(["PASSED"], ["FAILED"])).toBe("RESOLVED_NO");
    expect(of(["PASSED", "FAILED"], ["PASSED", "FAILED"])).toBe("RESOLVED_NO");
  });

  test("takes an empty list for a success", () => {
    expect(of(["PASSED"], [])).toBe("RESOLVED_FULL");
    expect(of([], ["PASSED"])).toBe("RESOLVED_FULL");
  });

  test("v4.1 resolves a patch that makes the tests skip; v5 does not", () => {
    expect(of(["SKIPPED"], ["PASSED"], "v4.1")).toBe("RESOLVED_FULL");
    expect(of(["SKIPPED"], ["PASSED"], "v5")).toBe("RESOLVED_NO");
    expect(of(["PASSED"], ["SKIPPED"], "v5")).toBe("RESOLVED_FULL");
  });
});

test("every expected test is at most once in the lists, in its order, and a worse log resolves no more", () => {
  const status = fc.constantFrom(...words);
  const id = fc.constantFrom("a", "b", "c[", "c[1]", "c[2]", "d");
  const ids = fc.uniqueArray(id, { maxLength: 4 });
  fc.assert(
    fc.property(
      ids,
      ids,
      fc.array(fc.tuple(id, status)),
      fc.constantFrom(...RULE_SETS),
      (f, p, log, rules) => {
        const expected = { failToPass: f, passToPass: p };
        const got = testsStatus(expected, new Map(log), rules, "pass_and_fail");
        for (const [list, all] of [
          [got.FAIL_TO_PASS, f],
          [got.PASS_TO_PASS, p],
        ] as const) {
          expect(list.success).toEqual(all.filter((each) => list.success.includes(each)));
          expect(list.failure).toEqual(all.filter((each) => list.failure.includes(each)));
          expect(list.success.some((each) => list.failure.includes(each))).toBe(false);
        }
        const worse = new Map(log.map(([name]) => [name, "FAILED"]));
        const resolved = (statuses: Map<string, string>) =>
          resolutionOf(testsStatus(expected, statuses, rules, "pass_and_fail")) === "RESOLVED_FULL";
        if (resolved(worse)) expect(resolved(new Map(log))).toBe(true);
      },
    ),
  );
});
