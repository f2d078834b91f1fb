import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { compareReport } from "../../../../envs/swe-bench/grading/compare.ts";
import { gradeLog } from "../../../../envs/swe-bench/grading/grade.ts";
import { readLog } from "../../../../envs/swe-bench/grading/log.ts";
import type { RuleSet } from "../../../../envs/swe-bench/grading/rules.ts";
import type { SweInstance } from "../../../../envs/swe-bench/instance.ts";
import { readInstances } from "../../../../envs/swe-bench/rows/index.ts";

// Real logs with the reports that the official harness 4.1.0 wrote, and Verified, which are not in this repository.
// FORKGYM_SHARED names the folder that holds data/swe-bench; FORKGYM_REQUIRE_SHARED=1 makes its absence a failure.
const data = join(process.env.FORKGYM_SHARED ?? "", "data", "swe-bench");
const logs = join(data, "graded-logs");
const found = existsSync(logs) && existsSync(join(data, "verified.parquet"));
const missing = `${logs} is not there; FORKGYM_SHARED can name its folder`;

if (!found && process.env.FORKGYM_REQUIRE_SHARED === "1") {
  test("the graded logs are there", () => {
    throw new Error(missing);
  });
} else if (!found) {
  test.skip(`skipped: ${missing}`, () => {});
}

describe.runIf(found)("98 real logs", () => {
  let instances: ReadonlyMap<string, SweInstance>;
  const ids = found ? readdirSync(logs).sort() : [];

  beforeAll(async () => {
    const read = await readInstances(join(data, "verified.parquet"));
    instances = new Map(read.instances.map((instance) => [instance.id, instance]));
  });

  function compared(id: string, rules: RuleSet) {
    const log = readLog(readFileSync(join(logs, id, "test_output.txt")));
    const grade = gradeLog(instances.get(id)!, log, rules);
    const report = readFileSync(join(logs, id, "report.json"), "utf8");
    return { grade, ...compareReport(report, id, grade, rules) };
  }

  test("have under v4.1 the verdict, the lists and the very bytes of their report.json", () => {
    expect(ids.length).toBe(98);
    const differing = ids.flatMap((id) => {
      const { differences, whole, identical } = compared(id, "v4.1");
      return whole && identical && differences.length === 0 ? [] : [{ id, differences }];
    });
    expect(differing).toEqual([]);
  });

  test("are resolved under v5 where they were, and one is no run there", () => {
    const results = ids.map((id) => ({ id, ...compared(id, "v5") }));
    expect(results.filter(({ differences }) => differences.length > 0)).toEqual([]);
    const refused = results.filter(({ grade }) => !grade.applied).map(({ id, grade }) => [id, grade.refusal]);
    expect(refused).toEqual([["sphinx-doc__sphinx-9711", "suite never ran"]]);
  });
});
