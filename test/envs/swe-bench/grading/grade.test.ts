import { describe, expect, test } from "vitest";
import { type Grade, gradeLog } from "../../../../envs/swe-bench/grading/grade.ts";
import { readLog } from "../../../../envs/swe-bench/grading/log.ts";
import type { RuleSet } from "../../../../envs/swe-bench/grading/rules.ts";
import { instanceWith, logOf } from "./rows.ts";

const instance = instanceWith();
const ALL = "PASSED t.py::repaired\nPASSED t.py::kept";
const both = (log: string): [Grade, Grade] => [
  gradeLog(instance, log, "v4.1"),
  gradeLog(instance, log, "v5"),
];
const brief = ({ applied, resolution, refusal }: Grade) => `${applied} ${resolution} ${refusal}`;

test("all expected tests pass: resolved, and all of it said", () => {
  for (const grade of both(logOf(ALL))) {
    expect(grade).toEqual({
      applied: true,
      resolved: true,
      resolution: "RESOLVED_FULL",
      testsStatus: {
        FAIL_TO_PASS: { success: ["t.py::repaired"], failure: [] },
        PASS_TO_PASS: { success: ["t.py::kept"], failure: [] },
        FAIL_TO_FAIL: { success: [], failure: [] },
        PASS_TO_FAIL: { success: [], failure: [] },
      },
      missing: false,
      refusal: null,
      infra: null,
    });
  }
});

describe("a log that cannot be graded", () => {
  test.each(["Patch Apply Failed", "Reset Failed", "Tests Errored", "Tests Timed Out"])(
    "says >>>>> %s, wherever",
    (code) => {
      for (const grade of both(`${logOf(ALL)}>>>>> ${code}`)) {
        expect(brief(grade)).toBe("false RESOLVED_NO not run");
        expect([grade.testsStatus, grade.missing]).toEqual([null, true]);
      }
    },
  );

  test("lacks a marker: the test patch did not apply, or the tests were cut short", () => {
    const log = logOf(ALL);
    for (const half of [log.replace("Start Test", "x"), log.replace("End Test", "x"), ""]) {
      for (const grade of both(half)) expect(brief(grade)).toBe("false RESOLVED_NO no markers");
    }
  });

  test("ends in a time-out: the end marker never came, and the cause is named", () => {
    const log = `${logOf(ALL).split("+ : '>>>>> End")[0]}\n\nTimeout error: 1800 seconds exceeded.`;
    const grade = gradeLog(instance, log, "v5");
    expect(brief(grade)).toBe("false RESOLVED_NO no markers");
    expect(grade.infra).toEqual({ reason: "tests_timed_out", tier: "ambiguous" });
  });

  test("makes the official parser fail, so that its run has no report", () => {
    const django = instanceWith({ logParser: "parse_log_django" });
    const log = logOf("test_a (m.C) ... ok\nERROR:root");
    for (const rules of ["v4.1", "v5"] as const) {
      expect(brief(gradeLog(django, log, rules))).toBe("false RESOLVED_NO unreadable");
    }
  });
});

describe("which part of the log counts", () => {
  test("between the first start marker and the end marker, or the next start", () => {
    for (const grade of both(`PASSED t.py::repaired\n${logOf("PASSED t.py::kept")}PASSED t.py::repaired`)) {
      expect(grade.testsStatus?.FAIL_TO_PASS.failure).toEqual(["t.py::repaired"]);
    }
    const twice = logOf(`PASSED t.py::kept\n+ : '>>>>> Start Test Output'\nPASSED t.py::repaired`);
    for (const grade of both(twice)) {
      expect(grade.testsStatus?.PASS_TO_PASS.success).toEqual(["t.py::kept"]);
      expect(grade.testsStatus?.FAIL_TO_PASS.failure).toEqual(["t.py::repaired"]);
    }
  });

  test("the whole log if nothing is between them, as where the streams came apart", () => {
    for (const grade of both(`${ALL}\n${logOf("")}`)) expect(grade.resolved).toBe(true);
  });

  test("an end marker that the tests print ends the part early", () => {
    const spoofed = logOf("PASSED t.py::kept\n>>>>> End Test Output\nPASSED t.py::repaired");
    for (const grade of both(spoofed)) expect(grade.resolved).toBe(false);
  });
});

describe("a log without any result", () => {
  test("is a run with all tests missing in v4.1, and no run in v5", () => {
    const [old, fresh] = both(logOf("Traceback"));
    expect(brief(old)).toBe("true RESOLVED_NO null");
    expect(old.missing).toBe(true);
    expect(brief(fresh)).toBe("false RESOLVED_NO suite never ran");
  });

  test.each([
    "Executed 3 of 5",
    "TOTAL: 3 SUCCESS",
    "  12 passing (3s)",
    "Tests:   3 passed",
    "Test Suites: 1 failed, 4 total",
    "# tests 9",
    "3 specs, 0 failures",
    "rendering case 'a': ok",
  ])("ran under v5 if a runner says so: %s", (line) => {
    const marked = instanceWith({ logParser: "parse_log_marked", evalType: "fail_only" });
    expect(gradeLog(marked, logOf(line), "v5")).toMatchObject({ resolved: true, missing: true });
  });

  test.each([
    "Executed 0 of 0",
    "0 passing",
    "Tests: 0 total",
    " # tests 9",
    "0 specs, 0 failures",
    "'a': ok then",
    "1 passed in 0.1s",
  ])("did not run for all that: %s", (line) => {
    const marked = instanceWith({ logParser: "parse_log_marked", evalType: "fail_only" });
    expect(brief(gradeLog(marked, logOf(line), "v5"))).toBe("false RESOLVED_NO suite never ran");
  });
});

describe("the exit code of the tests", () => {
  const ending = (code: string) => logOf(ALL, `>>>>> Test Exit Code: ${code}\n`);

  test("other than 0 with all tests passing is a forgery under v5, and nothing to v4.1", () => {
    for (const code of ["1", "137", "-9"]) {
      const [old, fresh] = both(ending(code));
      expect(brief(old)).toBe("true RESOLVED_FULL null");
      expect(brief(fresh)).toBe("false RESOLVED_NO exit code contradicts");
    }
  });

  test("of 0 is as it should be, and so is another with a test that failed, expected or not", () => {
    expect(gradeLog(instance, ending("0"), "v5").resolved).toBe(true);
    for (const status of ["FAILED", "ERROR"]) {
      const log = logOf(`${ALL}\n${status} t.py::other`, ">>>>> Test Exit Code: 1\n");
      expect(gradeLog(instance, log, "v5").resolved).toBe(true);
    }
  });

  test("is found before the end marker too, where standard output came first", () => {
    const log = logOf(`${ALL}\n>>>>> Test Exit Code: 1`);
    expect(brief(gradeLog(instance, log, "v5"))).toBe("false RESOLVED_NO exit code contradicts");
  });
});

describe("fail_only", () => {
  const chart = { logParser: "parse_log_chart_js", failToPass: ["a "], passToPass: ["b "] };
  const failing = "Chrome 100.0 (Linux) a FAILED\nExecuted 3 of 3";

  test("goes by the row in v5 and by the repository in v4.1", () => {
    const grade = (repo: string, evalType: "fail_only" | "pass_and_fail", rules: RuleSet) =>
      gradeLog(instanceWith({ ...chart, evalType }, { repo }), logOf("Executed 3 of 3"), rules).resolved;
    expect(grade("chartjs/Chart.js", "pass_and_fail", "v4.1")).toBe(true);
    expect(grade("eslint/eslint", "fail_only", "v4.1")).toBe(false);
    expect(grade("any/other", "fail_only", "v5")).toBe(true);
    expect(grade("chartjs/Chart.js", "pass_and_fail", "v5")).toBe(false);
  });

  test("a failure that is named fails", () => {
    const row = instanceWith({ ...chart, evalType: "fail_only" }, { repo: "chartjs/Chart.js" });
    for (const rules of ["v4.1", "v5"] as const) {
      const { testsStatus } = gradeLog(row, logOf(failing), rules);
      expect(testsStatus?.FAIL_TO_PASS.failure).toEqual(["a "]);
      expect(testsStatus?.PASS_TO_PASS.success).toEqual(["b "]);
    }
  });
});

describe("reading the bytes of a log", () => {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

  test("CR and CR LF end lines", () => {
    const log = readLog(bytes(logOf(ALL).replaceAll("\n", "\r\n")));
    expect(log).toBe(logOf(ALL));
    const lone = readLog(bytes(logOf("50%\rPASSED t.py::repaired\rPASSED t.py::kept\r\rx")));
    for (const grade of both(lone)) expect(grade.resolved).toBe(true);
  });

  test("what is no UTF-8 becomes U+FFFD, as Python counts it, and spoils no other line", () => {
    const log = readLog(bytes(logOf(`\xff\xfe caf\xe9\n${ALL}`)));
    expect(log).toContain("\ufffd\ufffd caf\ufffd\n");
    for (const grade of both(log)) expect(grade.resolved).toBe(true);
    expect(readLog(bytes("\xe2\x28\xa1 \xf0\x9f\x98 \xed\xa0\x80"))).toBe(
      "\ufffd(\ufffd \ufffd \ufffd\ufffd\ufffd",
    );
  });

  test("a byte order mark stays, as it does in Python", () => {
    expect(readLog(bytes("\xef\xbb\xbfPASSED a"))).toBe("\ufeffPASSED a");
  });
});

test("a name like a member of Object.prototype is a test like another", () => {
  const row = instanceWith({ failToPass: ["constructor"], passToPass: ["__proto__"] });
  expect(gradeLog(row, logOf("PASSED constructor\nPASSED __proto__"), "v5").resolved).toBe(true);
  expect(gradeLog(row, logOf("PASSED other"), "v5").resolved).toBe(false);
});
