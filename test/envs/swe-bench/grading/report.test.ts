import { expect, test } from "vitest";
import { gradeLog } from "../../../../envs/swe-bench/grading/grade.ts";
import { logFiles, logPaths, runReportName } from "../../../../envs/swe-bench/grading/log-layout.ts";
import { pythonJson } from "../../../../envs/swe-bench/grading/python-json.ts";
import { instanceReport, runReport } from "../../../../envs/swe-bench/grading/report.ts";
import { instanceWith, logOf } from "./rows.ts";

const instance = instanceWith();

test("a graded instance, to the byte", () => {
  const grade = gradeLog(instance, logOf("PASSED t.py::repaired"), "v4.1");
  expect(pythonJson(instanceReport("a__b-1", grade, "v4.1"))).toBe(
    `{
    "a__b-1": {
        "patch_is_None": false,
        "patch_exists": true,
        "patch_successfully_applied": true,
        "resolved": false,
        "tests_status": {
            "FAIL_TO_PASS": {
                "success": [
                    "t.py::repaired"
                ],
                "failure": []
            },
            "PASS_TO_PASS": {
                "success": [],
                "failure": [
                    "t.py::kept"
                ]
            },
            "FAIL_TO_FAIL": {
                "success": [],
                "failure": []
            },
            "PASS_TO_FAIL": {
                "success": [],
                "failure": []
            }
        }
    }
}`,
  );
});

test("v5 says whether the environment failed, before the tests", () => {
  const grade = gradeLog(instance, logOf("PASSED t.py::repaired"), "v5");
  expect(Object.keys(instanceReport("x", grade, "v5").x as object)).toEqual([
    "patch_is_None",
    "patch_exists",
    "patch_successfully_applied",
    "resolved",
    "infra_failure",
    "tests_status",
  ]);
  expect(instanceReport("x", gradeLog(instance, "Killed", "v5"), "v5").x).toEqual({
    patch_is_None: false,
    patch_exists: true,
    patch_successfully_applied: false,
    resolved: false,
    infra_failure: true,
    infra_failure_reason: "out_of_memory",
  });
  const ambiguous = instanceReport("x", gradeLog(instance, "no tests ran", "v5"), "v5").x;
  expect(ambiguous).toMatchObject({ infra_failure: false, infra_failure_reason: "no_tests_collected" });
  expect(instanceReport("x", gradeLog(instance, "Killed", "v4.1"), "v4.1").x).not.toHaveProperty(
    "infra_failure",
  );
});

test("no patch", () => {
  expect(instanceReport("x", null, "v4.1").x).toEqual({
    patch_is_None: true,
    patch_exists: false,
    patch_successfully_applied: false,
    resolved: false,
  });
});

const report = (id: string, resolved: boolean) => [id, JSON.stringify({ [id]: { resolved } })] as const;
const facts = {
  ids: [
    "z",
    "resolved",
    "unresolved",
    "lost",
    "broken",
    "empty",
    "null",
    "not-submitted",
    "\u{1F600}",
    "\uFFFD",
  ],
  patches: new Map<string, string | null>([
    ["z", "p"],
    ["resolved", "p"],
    ["unresolved", "p"],
    ["lost", "p"],
    ["broken", "p"],
    ["\u{1F600}", "p"],
    ["\uFFFD", "p"],
    ["empty", ""],
    ["null", null],
  ]),
  reports: new Map([
    report("z", true),
    report("resolved", true),
    report("unresolved", false),
    report("\u{1F600}", false),
    report("\uFFFD", false),
    ["broken", "{"] as const,
  ]),
  infra: new Map([
    ["unresolved", { reason: "missing_module", tier: "ambiguous" } as const],
    ["lost", { reason: "container_unavailable", tier: "environment" } as const],
    ["resolved", { reason: "out_of_memory", tier: "environment" } as const],
  ]),
};

test("the run report under v4.1, its ids sorted as Python sorts them", () => {
  const got = runReport(facts, "v4.1");
  expect(JSON.stringify(got)).toBe(
    JSON.stringify({
      total_instances: 10,
      submitted_instances: 9,
      completed_instances: 6,
      resolved_instances: 2,
      unresolved_instances: 3,
      empty_patch_instances: 2,
      error_instances: 2,
      completed_ids: ["broken", "resolved", "unresolved", "z", "\uFFFD", "\u{1F600}"],
      incomplete_ids: ["not-submitted"],
      empty_patch_ids: ["empty", "null"],
      submitted_ids: [
        "broken",
        "empty",
        "lost",
        "null",
        "resolved",
        "unresolved",
        "z",
        "\uFFFD",
        "\u{1F600}",
      ],
      resolved_ids: ["resolved", "z"],
      unresolved_ids: ["unresolved", "\uFFFD", "\u{1F600}"],
      error_ids: ["broken", "lost"],
      schema_version: 2,
    }),
  );
});

test("the run report under v5 tells why what is not resolved may have failed", () => {
  const got = runReport({ ...facts, left: { containers: ["b", "a"], images: [] } }, "v5");
  expect(Object.keys(got)).toEqual([
    "total_instances",
    "submitted_instances",
    "completed_instances",
    "resolved_instances",
    "unresolved_instances",
    "infra_failure_instances",
    "ambiguous_failure_instances",
    "empty_patch_instances",
    "error_instances",
    "completed_ids",
    "incomplete_ids",
    "empty_patch_ids",
    "submitted_ids",
    "resolved_ids",
    "unresolved_ids",
    "infra_failure_ids",
    "ambiguous_failure_ids",
    "failure_reasons",
    "error_ids",
    "schema_version",
    "unstopped_instances",
    "unstopped_containers",
    "unremoved_images",
  ]);
  expect(got).toMatchObject({
    infra_failure_instances: 1,
    infra_failure_ids: ["lost"],
    ambiguous_failure_ids: ["unresolved"],
    failure_reasons: { lost: "container_unavailable", unresolved: "missing_module" },
    unstopped_instances: 2,
    unstopped_containers: ["a", "b"],
  });
});

test("a report that is no JSON, says nothing of the instance or nothing of its resolution is an error", () => {
  for (const text of ["", "[]", "{}", '{"other":{"resolved":true}}', '{"a":{}}', "null"]) {
    const got = runReport(
      { ids: ["a"], patches: new Map([["a", "p"]]), reports: new Map([["a", text]]), infra: new Map() },
      "v5",
    );
    expect(got, text).toMatchObject({
      completed_ids: ["a"],
      error_ids: ["a"],
      resolved_ids: [],
      unresolved_ids: [],
    });
  }
});

test("files lie where the official harness puts them, a model's slashes made into __", () => {
  const paths = logPaths("/out", "run", "org/model/1", "a__b-1");
  expect(paths.folder).toBe("/out/logs/run_evaluation/run/org__model__1/a__b-1");
  expect(paths).toEqual(logFiles(paths.folder));
  const names = Object.values(paths).map((path) => path.slice(paths.folder.length));
  expect(names).toEqual([
    "",
    "/patch.diff",
    "/eval.sh",
    "/run_instance.log",
    "/test_output.txt",
    "/report.json",
  ]);
  expect(runReportName("org/model", "run")).toBe("org__model.run.json");
});
