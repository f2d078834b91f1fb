import { spawnSync } from "node:child_process";
import { expect, inject, test } from "vitest";

test("serving measures CPU, load and tokens, and fails by name where a bound is missed", () => {
  const bounds = ["--min-busy", "2", "--max-core-ms", "1e-9", "--min-hits", "2"];
  const tiny = ["--trees", "8", "--slots", "2", "--ms-per-step", "0.1", "--seeds", "1"];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["dist/bench/main.js", "serving", ...tiny, ...bounds],
    { cwd: inject("packageFolder"), encoding: "utf8" },
  );
  expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(
    lines.filter((line) => line.startsWith("failed: ")).map((line) => /--[\w-]+/.exec(line)![0]),
  ).toEqual(["--min-busy", "--max-core-ms", "--min-hits"]);
  const { core, load, hits, comparisons } = JSON.parse(lines.at(-1)!);
  expect(core.median).toBeGreaterThan(0);
  expect(load.turns).toBeGreaterThan(0);
  expect(load.busy).toBeGreaterThan(0);
  expect(load.busy).toBeLessThan(1.01);
  // The server's own count and ours agree: a tree's branches find all that the cache could have.
  expect(hits).toBeGreaterThan(0.99);
  expect(hits).toBeLessThanOrEqual(1);
  expect(comparisons).toHaveLength(1);
  expect(comparisons[0].independent.onPaths).toBe(1);
  expect(comparisons[0].patr.onPaths).toBeGreaterThan(1);
});
