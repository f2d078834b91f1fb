import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CellResult } from "../../../cli/compare/cell.ts";
import type { TreeRecord } from "../../../core/run/record.ts";
import { forkgym, freshFolder, linesOf, quiet, start, untilLines } from "../forkgym.ts";

/** Cells as the demo's comparison would find them: its minute of training is not what is looked at here. */
function cells(): string {
  const variants = [
    ["grpo", "n=4"],
    ["dapo", "n=4"],
    ["arpo", "4 to 8"],
    ["tree-random", "k=2 M=3"],
    ["patr", "k=2 M=3"],
  ] as const;
  const point = { envSteps: 1000, success: 0.5, mixed: 0.5, entropy: 1, turns: 5 };
  const evaluation = { envSteps: 1000, success: 0.5, pass: 0.5 };
  const all = ["hard", "rllm"].flatMap((regime) =>
    variants.flatMap(([method, setting]) =>
      [0, 1, 2].map(
        (seed): CellResult => ({
          regime,
          method,
          setting,
          seed,
          evaluations: [evaluation, evaluation, evaluation, { ...evaluation, success: 0.5 + seed / 100 }],
          curve: [point],
        }),
      ),
    ),
  );
  return all.map((cell) => `${JSON.stringify(cell)}\n`).join("");
}

test("the demo trains, shows a tree, compares; stopped it goes on, complete it says so", async () => {
  const folder = await freshFolder();
  const run = join(folder, "runs/demo");
  const stopped = start(folder, "demo");
  await untilLines(join(run, "updates.jsonl"), 11, stopped);
  stopped.process.kill("SIGINT");
  expect(await stopped.ended).toEqual({
    code: 130,
    signal: null,
    stdout: "",
    stderr: "stopped; the same command goes on with what is in runs/demo\n",
  });
  expect((await readdir(run)).sort()).toEqual(["learner.json", "run.json", "updates.jsonl"]);

  await writeFile(join(run, "cells.jsonl"), cells());
  const text = await quiet(folder, "demo");
  const [tree, , outcome, report] = text.split("\n\n");
  expect(tree).toMatch(/^rllm-test\/\S+, seed 0: patr with learner and scorer progress\n[├└]─ 0/);
  expect(text).toContain("PATR on frozen-lake/rllm-test:\n100 trees; ");
  expect(text).toContain("The same learner, trained from nothing with each method at equal env steps:\n");
  expect(text).toContain("### Hard lakes (7x7 to 9x9");
  expect(text).toContain("### rLLM's lakes (2x2 to 9x9");
  expect(text).toContain("51.0 ± 0.6");
  expect(text).not.toContain("nothing was done again");
  expect(text).toMatch(
    /\nrun: runs\/demo {2}\(try: forkgym replay runs\/demo; forkgym show runs\/demo --svg tree\.svg\)\n$/,
  );
  expect([outcome, report]).not.toContain(undefined);
  expect((await readdir(run)).sort()).toEqual([
    "cells.jsonl",
    "curves-hard.svg",
    "curves-rllm.svg",
    "learner.json",
    "report.md",
    "run.json",
    "trees.jsonl",
    "updates.jsonl",
  ]);
  const trees = await linesOf(join(run, "trees.jsonl"));
  expect(new Set(trees.map((line) => (JSON.parse(line) as TreeRecord).task.id)).size).toBe(100);
  const updates = (await linesOf(join(run, "updates.jsonl"))).map(
    (line) => JSON.parse(line).update as number,
  );
  expect(updates).toEqual([...Array(40).keys()].map((n) => n + 1));

  const learned = await readFile(join(run, "learner.json"), "utf8");
  const again = await quiet(folder, "demo");
  expect(again).toContain("This run was complete already; nothing was done again.\n");
  expect(again.replace(/This run was .*\n/, "")).toBe(text);
  expect(await linesOf(join(run, "trees.jsonl"))).toEqual(trees);
  expect(await readFile(join(run, "learner.json"), "utf8")).toBe(learned);
  expect(JSON.parse(await quiet(folder, "demo --json"))).toMatchObject({
    run: "runs/demo",
    resumed: true,
    complete: true,
  });
  expect(await quiet(folder, "replay runs/demo")).toMatch(
    /^100 trees, \d+ actions replayed, 0 differences\n$/,
  );
});

test("a folder that holds another run is refused", async () => {
  const folder = await freshFolder();
  await quiet(folder, "rollout frozen-lake/rllm-test --tasks 1 --out r");
  const { code, stdout, stderr } = await forkgym(folder, "demo --out r");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain('forkgym: run folder: r holds another run: `kind` was "rollout", now "demo";');
  const typo = await forkgym(folder, "demo --ot r");
  expect(typo.code).toBe(2);
  expect(typo.stderr).toContain("error: unknown option '--ot'\n(Did you mean --out?)");
});
