import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  MINI_COMMIT,
  miniFiles,
  miniInstances,
  miniRepository,
  miniRows,
  miniSets,
} from "../../../../envs/swe-bench/mini/index.ts";
import { readInstances } from "../../../../envs/swe-bench/rows/index.ts";

const set = () => miniSets[0]!.make();

test("there are at least twelve tasks, about a third of each difficulty, easy ones first", () => {
  const difficulties = miniRows().map((row) => row.difficulty);
  expect(difficulties.length).toBeGreaterThanOrEqual(12);
  const count = (wanted: string) => difficulties.filter((difficulty) => difficulty === wanted).length;
  for (const one of ["one mutation", "hard to find", "needs thought"]) {
    expect(count(one)).toBeGreaterThanOrEqual(4);
  }
  expect(difficulties.join()).toMatch(/^(one mutation,)+(hard to find,)+(needs thought,?)+$/);
});

test("the rows written as JSONL are read back as the same instances", async () => {
  const folder = mkdtempSync(join(tmpdir(), "swe-mini-"));
  try {
    const file = join(folder, "mini.jsonl");
    writeFileSync(
      file,
      miniRows()
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(""),
    );
    expect(await readInstances(file)).toEqual({ instances: miniInstances(), refused: [] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a row has the fields of SWE-bench Verified in its v5 form", () => {
  const row = miniRows().find((one) => one.instance_id === "forkgym__lru-cache-1")!;
  expect(Object.keys(row).sort()).toEqual(
    [
      "FAIL_TO_PASS PASS_TO_PASS base_commit created_at difficulty environment_setup_commit eval_script",
      "eval_type hints_text image instance_id log_parser patch problem_statement repo test_patch version",
    ]
      .join(" ")
      .split(" ")
      .sort(),
  );
  expect(row.repo).toBe("forkgym/lru-cache");
  expect(row.base_commit).toMatch(/^[0-9a-f]{40}$/);
});

test("the script of a task with a new test file removes it before and after, and names all test modules", () => {
  const { evalScript } = miniInstances().find(({ id }) => id === "forkgym__rate-limiter-1")!.hidden;
  const lines = evalScript!.split("\n");
  const remove = lines.flatMap((line, at) => (line === "rm -f -- tests/test_wait.py" ? at : []));
  const apply = lines.indexOf("git apply -v - <<'EOF_114329324912'");
  const start = lines.indexOf(": '>>>>> Start Test Output'");
  expect(lines.slice(start + 1, start + 3)).toEqual([
    "python3 -m unittest -v tests.test_bucket tests.test_limiter tests.test_wait",
    ": '>>>>> End Test Output'",
  ]);
  expect(remove.map((at) => [at < apply, at > start])).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(lines.slice(0, 3)).toEqual(["#!/bin/bash", "set -uxo pipefail", "cd /testbed"]);
  expect(lines[remove[0]! - 1]).toMatch(
    /^git checkout [0-9a-f]{40} -- tests\/__init__.py tests\/test_bucket.py tests\/test_limiter.py$/,
  );
});

test("the set gives every instance once, by its id, and refuses what it has not", () => {
  const { size, version, name } = set();
  expect([name, version, size]).toEqual(["swe-mini", 1, miniInstances().length]);
  expect(set().at(0)).toEqual({ id: miniInstances()[0]!.id, data: miniInstances()[0] });
  expect(() => set().at(size)).toThrow(RangeError);
  const chosen = miniSets[0]!.make({ ids: "forkgym__calc-1, forkgym__money-1" });
  expect([chosen.at(0).id, chosen.at(1).id, chosen.size]).toEqual(["forkgym__calc-1", "forkgym__money-1", 2]);
  expect(() => miniSets[0]!.make({ ids: "nope" })).toThrow(/`ids`.*forkgym__calc-1.*"nope"/);
  expect(() => miniSets[0]!.make({ id: "1" })).toThrow(/unknown option `id`/);
});

test("version 1 of the set has this content", () => {
  expect(set().digest()).toBe("fbe9c474fd4ca2efc2627ee659290b3e073fff74f43cb2b05b4288774af83f3b");
  expect(miniSets[0]!.make({ ids: "forkgym__calc-1" }).digest()).not.toBe(set().digest());
});

test("a repository is given for its own instance only", async () => {
  const instance = miniInstances()[0]!;
  expect(await miniRepository(instance)).toEqual({ files: miniFiles(instance.id), commit: MINI_COMMIT });
  expect(await miniRepository({ ...instance, id: "sympy__sympy-1" })).toBeUndefined();
  expect(await miniRepository({ ...instance, baseCommit: "0".repeat(40) })).toBeUndefined();
  expect(() => miniFiles("../mini")).toThrow(/swe-mini: expected the id of a task, got \.\.\/mini/);
});
