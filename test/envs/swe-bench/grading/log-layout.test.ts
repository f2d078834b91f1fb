import { join } from "node:path";
import { expect, test } from "vitest";
import { logPaths, runReportName } from "../../../../envs/swe-bench/grading/log-layout.ts";

test("a model of an organisation is one folder and one file, as in the official tools", () => {
  expect(logPaths("out", "run", "org/model", "a__a-1").folder).toBe(
    join("out", "logs", "run_evaluation", "run", "org__model", "a__a-1"),
  );
  expect(logPaths("out", "run", "../../x", "a__a-1").folder).toBe(
    join("out", "logs", "run_evaluation", "run", "..__..__x", "a__a-1"),
  );
  expect(runReportName("/org/model", "run")).toBe("__org__model.run.json");
});
