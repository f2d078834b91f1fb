import type { EvalType } from "../instance.ts";
import type { StatusMap } from "./parsers/index.ts";
import type { RuleSet } from "./rules.ts";

export type TestLists = {
  readonly success: readonly string[];
  readonly failure: readonly string[];
};

/** The expected tests, sorted by what became of them; names and order as in report.json. */
export type TestsStatus = {
  readonly FAIL_TO_PASS: TestLists;
  readonly PASS_TO_PASS: TestLists;
  readonly FAIL_TO_FAIL: TestLists;
  readonly PASS_TO_FAIL: TestLists;
};

export type Resolution = "RESOLVED_FULL" | "RESOLVED_PARTIAL" | "RESOLVED_NO";

/** The tests whose results decide. */
export interface Expected {
  readonly failToPass: readonly string[];
  readonly passToPass: readonly string[];
}

/** What became of one expected test; null where the rules put it in neither list. */
type Verdict = "success" | "failure" | null;

/** Sorts the expected tests by their statuses. */
export function testsStatus(
  expected: Expected,
  statuses: StatusMap,
  rules: RuleSet,
  evalType: EvalType,
): TestsStatus {
  const failOnly = (id: string): Verdict => (statuses.get(id) === "FAILED" ? "failure" : "success");
  const strict = rules === "v5" ? v5(statuses, "failure") : v41(statuses);
  const lenient = rules === "v5" ? v5(statuses, "success") : strict;
  const all = evalType === "fail_only";
  return {
    FAIL_TO_PASS: lists(expected.failToPass, all ? failOnly : strict),
    PASS_TO_PASS: lists(expected.passToPass, all ? failOnly : lenient),
    FAIL_TO_FAIL: { success: [], failure: [] },
    PASS_TO_FAIL: { success: [], failure: [] },
  };
}

function lists(ids: readonly string[], verdict: (id: string) => Verdict): TestLists {
  const verdicts = ids.map((id) => [id, verdict(id)] as const);
  const having = (wanted: Verdict) => verdicts.filter(([, got]) => got === wanted).map(([id]) => id);
  return { success: having("success"), failure: having("failure") };
}

/** v4.1: an id is looked up as it is; a skipped test counts neither way. */
function v41(statuses: StatusMap): (id: string) => Verdict {
  return (id) => judge(statuses.get(id), null);
}

/** v5: a skipped test is a failure if it had to be repaired, and no loss if it passed before. */
function v5(statuses: StatusMap, skipped: "success" | "failure"): (id: string) => Verdict {
  return (id) => judge(lookUp(id, statuses), skipped);
}

function judge(status: string | undefined, skipped: Verdict): Verdict {
  if (status === undefined || status === "FAILED" || status === "ERROR") return "failure";
  if (status === "PASSED" || status === "XFAIL") return "success";
  return status === "SKIPPED" ? skipped : null;
}

/**
 * 676 ids of Verified end in the midst of a parameter (SWE-bench issue #290): such an id, one with more "[" than
 * "]", stands for the tests it begins, if they agree on passing or not.
 */
function lookUp(id: string, statuses: StatusMap): string | undefined {
  const exact = statuses.get(id);
  if (exact !== undefined || count(id, "[") <= count(id, "]")) return exact;
  const begun = [...statuses].filter(([name]) => name.startsWith(id)).map(([, status]) => status);
  const passing = begun.filter((status) => status === "PASSED" || status === "XFAIL").length;
  return passing === 0 || passing === begun.length ? begun[0] : undefined;
}

function count(text: string, char: string): number {
  return text.split(char).length - 1;
}

/** FULL if all expected tests succeed; PARTIAL if none that passed is lost and some are repaired. */
export function resolutionOf(status: TestsStatus): Resolution {
  const [repaired, kept] = [share(status.FAIL_TO_PASS), share(status.PASS_TO_PASS)];
  if (kept !== 1 || repaired === 0) return "RESOLVED_NO";
  return repaired === 1 ? "RESOLVED_FULL" : "RESOLVED_PARTIAL";
}

/** Share of successes; 1 of an empty list. */
function share({ success, failure }: TestLists): number {
  const total = success.length + failure.length;
  return total === 0 ? 1 : success.length / total;
}
