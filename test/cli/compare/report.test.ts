import { describe, expect, test } from "vitest";
import { compareReport } from "../../../cli/compare/report.ts";
import { cell, tinyRegime } from "./cells.ts";

const regime = { ...tinyRegime, updates: 200, stepsPerUpdate: 1200, title: "Lakes" };

/** Two seeds of a method around a mean, half a distance each way. */
const around = (method: string, mean: number, half: number, setting = "x") => [
  cell({ method, setting, seed: 0 }, [0, 0, 0, mean - half]),
  cell({ method, setting, seed: 1 }, [0, 0, 0, mean + half]),
];

test("a table of means and standard errors, after so many env steps", () => {
  const cells = [
    cell({ seed: 0 }, [0, 0.1, 0.2, 0.4], { pass: 0.5, mixed: [0.1, 0.3] }),
    cell({ seed: 1 }, [0.2, 0.3, 0.4, 0.8], { pass: 0.7, mixed: [0.5, 0.7] }),
    ...around("dapo", 0.5, 0, "n=4"),
  ];
  expect(compareReport([regime], cells)).toBe(
    `### Lakes

Success on frozen-lake/rllm-test in percent, mean ± standard error over 2 seeds, after so many env steps; Pass@4 at the end; mixed: share of the groups with mixed outcomes while training.

| method | setting | 60k         | 120k        | 180k        | 240k        | Pass@4      | mixed |
| ------ | ------- | ----------- | ----------- | ----------- | ----------- | ----------- | ----- |
| grpo   | n=2     | 10.0 ± 10.0 | 20.0 ± 10.0 | 30.0 ± 10.0 | 60.0 ± 20.0 | 60.0 ± 10.0 | 40.0% |
| dapo   | n=4     | 0.0 ± 0.0   | 0.0 ± 0.0   | 0.0 ± 0.0   | 50.0 ± 0.0  | 50.0 ± 0.0  | 50.0% |
`,
  );
});

test("the head names the env steps of the update at which a quarter was judged", () => {
  const report = compareReport([{ ...regime, updates: 6, stepsPerUpdate: 500 }], around("grpo", 0.5, 0));
  expect(report).toContain("| 1k        | 1.5k      | 2.5k      | 3k         |");
});

test("episodes that failed are said", () => {
  const [first, ...rest] = around("grpo", 0.5, 0);
  const evaluations = first!.evaluations.map((each, at) => (at < 2 ? { ...each, failed: 3 } : each));
  expect(compareReport([regime], [{ ...first!, evaluations }, ...rest])).toContain(
    "\n\n6 episodes of the evaluations failed and are left out.\n",
  );
});

test("one seed has no standard error", () => {
  const report = compareReport(
    [regime],
    [cell({}, [0, 0.125, 0.25, 0.5]), cell({ method: "patr" }, [0, 0, 0, 0.75])],
  );
  expect(report).toContain("over 1 seed, after");
  expect(report).toMatch(/\| grpo {3}\| n=2 {5}\| 0\.0 \| 12\.5 \| 25\.0 \| 50\.0 \| 50\.0 {3}\| 50\.0% \|/);
  expect(report).toContain(
    "- grpo at its best, n=2 (50.0%) is not told apart from patr at its best, n=2 (75.0%) at two standard errors.",
  );
});

describe("verdicts on the ladder grpo, tree-random, patr", () => {
  const verdicts = (...groups: ReturnType<typeof around>[]) =>
    compareReport([regime], groups.flat())
      .split("\n")
      .filter((line) => line.startsWith("- "));

  test("below, above and not told apart, each step at the best settings", () => {
    expect(
      verdicts(
        around("grpo", 0.1, 0.01, "n=2"),
        around("grpo", 0.2, 0.01, "n=4"),
        around("tree-random", 0.5, 0.01),
        around("patr", 0.52, 0.01),
      ),
    ).toEqual([
      "- grpo at its best, n=4 (18.0% to 22.0%) lies below tree-random at its best, x (48.0% to 52.0%) at two standard errors.",
      "- tree-random at its best, x (48.0% to 52.0%) is not told apart from patr at its best, x (50.0% to 54.0%) at two standard errors.",
    ]);
    expect(verdicts(around("tree-random", 0.9, 0.01), around("patr", 0.5, 0.01))).toEqual([
      "- tree-random at its best, x (88.0% to 92.0%) lies above patr at its best, x (48.0% to 52.0%) at two standard errors.",
    ]);
  });

  test("a step that is missing is left out, and a single method has none", () => {
    expect(
      verdicts(around("grpo", 0.1, 0.01), around("dapo", 0.3, 0), around("patr", 0.5, 0.01)),
    ).toHaveLength(1);
    expect(verdicts(around("grpo", 0.1, 0.01), around("dapo", 0.3, 0))).toEqual([]);
  });
});

test("regimes come one after the other, and one without cells is left out", () => {
  const other = { ...regime, name: "other", title: "Other" };
  const cells = [...around("grpo", 0.5, 0), cell({ regime: "other" }, [0, 0, 0, 1])];
  const report = compareReport([other, regime, { ...regime, name: "none", title: "None" }], cells);
  expect(report.match(/^### .*$/gm)).toEqual(["### Other", "### Lakes"]);
  expect(report).toContain("over 1 seed,");
  expect(report).toContain("over 2 seeds,");
});
