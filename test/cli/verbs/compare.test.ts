import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CellResult, cellName } from "../../../cli/compare/cell.ts";
import { parseXml } from "../../xml.ts";
import { forkgym, freshFolder, linesOf, quiet, start, untilLines } from "../forkgym.ts";

const COMPARE = "compare frozen-lake --methods dapo --regimes rllm --updates 4";

async function cells(run: string): Promise<Map<string, CellResult>> {
  const lines = await linesOf(join(run, "cells.jsonl"));
  return new Map(
    lines.map((line) => {
      const cell = JSON.parse(line) as CellResult;
      return [cellName(cell), cell];
    }),
  );
}

test("a comparison writes cells, a report and curves, and goes on with more seeds and methods", async () => {
  const folder = await freshFolder();
  const run = join(folder, "c");
  const first = await forkgym(folder, `${COMPARE} --seeds 1 --workers 1 --out c`);
  expect([first.code, first.stderr]).toEqual([0, "2 training runs on 1 threads; c keeps what is done\n"]);
  expect(first.stdout).toMatch(/^### rLLM's lakes/);
  expect(first.stdout).toMatch(/^\| dapo +\| n=4 +\| \d/m);
  expect(first.stdout).toMatch(/\nrun: c \(cells\.jsonl, report\.md, curves-rllm\.svg\)\n$/);
  expect((await readdir(run)).sort()).toEqual(["cells.jsonl", "curves-rllm.svg", "report.md", "run.json"]);
  expect(first.stdout.startsWith((await readFile(join(run, "report.md"), "utf8")).trimEnd())).toBe(true);
  expect(parseXml(await readFile(join(run, "curves-rllm.svg"), "utf8")).at(-1)!.name).toBe("svg");
  const before = await linesOf(join(run, "cells.jsonl"));

  const { code, stdout } = await forkgym(folder, `${COMPARE} --seeds 2 --out c --json`);
  const json = JSON.parse(stdout) as { run: string; cells: CellResult[] };
  expect([code, json.run]).toEqual([0, "c"]);
  expect(json.cells.map(cellName)).toEqual([
    "rllm/dapo/n=4/0",
    "rllm/dapo/n=8/0",
    "rllm/dapo/n=4/1",
    "rllm/dapo/n=8/1",
  ]);
  expect((await linesOf(join(run, "cells.jsonl"))).slice(0, 2)).toEqual(before);
  expect(new Set(json.cells.map((cell) => JSON.stringify(cell)))).toEqual(
    new Set(await linesOf(join(run, "cells.jsonl"))),
  );
});

test("SIGINT ends with code 130 and keeps the cells that are done, and the same command completes", async () => {
  const folder = await freshFolder();
  const args = `${COMPARE} --seeds 3 --workers 1 --out c`;
  const running = start(folder, args);
  await untilLines(join(folder, "c/cells.jsonl"), 1, running);
  running.process.kill("SIGINT");
  const { code, stdout, stderr } = await running.ended;
  expect([code, stdout]).toEqual([130, ""]);
  expect(stderr).toContain("stopped; the same command goes on with what is in c\n");
  const early = await linesOf(join(folder, "c/cells.jsonl"));
  expect(early.length).toBeGreaterThan(0);
  expect(early.length).toBeLessThan(6);
  expect((await readdir(join(folder, "c"))).sort()).toEqual(["cells.jsonl", "run.json"]);
  expect((await forkgym(folder, args)).code).toBe(0);
  expect((await linesOf(join(folder, "c/cells.jsonl"))).slice(0, early.length)).toEqual(early);
  expect((await cells(join(folder, "c"))).size).toBe(6);
});

test("another price in the same folder is refused, the first difference named", async () => {
  const folder = await freshFolder();
  await forkgym(folder, `${COMPARE} --seeds 1 --out c`);
  const { code, stdout, stderr } = await forkgym(folder, `${COMPARE.replace("4", "5")} --seeds 1 --out c`);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("c holds another run: `regimes.rllm.updates` was 4, now 5; choose another folder");
  expect(await quiet(folder, "tasks frozen-lake/rllm-test --digest")).toBe(
    `${JSON.parse(await readFile(join(folder, "c/run.json"), "utf8")).config.regimes.rllm.testDigest}\n`,
  );
});

test.each([
  ["compare", "error: missing required argument 'env'"],
  ["compare chess", 'forkgym: compare: expected frozen-lake, got "chess"'],
  [
    "compare frozen-lake --methods grpo,ppo",
    '--methods: expected some of grpo, dapo, arpo, tree-random, patr, dynamic-sampling, token-mean, got "ppo"',
  ],
  ["compare frozen-lake --regimes easy", '--regimes: expected some of hard, rllm, got "easy"'],
  ["compare frozen-lake --regimes rllm,rllm", 'forkgym: --regimes: "rllm" is named twice; name each once\n'],
  [
    "compare frozen-lake --methods grpo,patr,grpo",
    'forkgym: --methods: "grpo" is named twice; name each once\n',
  ],
  ["compare frozen-lake --updates 3", "argument '3' is invalid. Expected a whole number from 4 up."],
  ["compare frozen-lake --seeds 0", "argument '0' is invalid. Expected a whole number from 1 up."],
  ["compare frozen-lake --worker 2", "error: unknown option '--worker'\n(Did you mean --workers?)"],
])("a usage error is named, has code 2 and leaves nothing behind: %s", async (args, message) => {
  const folder = await freshFolder();
  const { code, stdout, stderr } = await forkgym(folder, args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
  expect(await readdir(folder)).toEqual([]);
});
