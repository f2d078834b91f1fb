import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { cellName } from "../../../cli/compare/cell.ts";
import { curvesSvg } from "../../../cli/compare/curves.ts";
import { variantNamed } from "../../../cli/compare/methods.ts";
import { compareReport } from "../../../cli/compare/report.ts";
import { rowsOf } from "../../../cli/compare/stats.ts";
import type { Output } from "../../../cli/output.ts";
import { RunFolder } from "../../../core/run/run-folder.ts";
import { linesOf } from "../forkgym.ts";
import { cell, tinyRegime } from "./cells.ts";

type CompareRun = typeof import("../../../cli/compare/compare-run.ts");

let runComparison: CompareRun["runComparison"];
beforeAll(async () => {
  const url = pathToFileURL(join(inject("packageFolder"), "dist/cli/compare/compare-run.js")).href;
  ({ runComparison } = (await import(url)) as CompareRun);
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "forkgym-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

const regimes = [tinyRegime, { ...tinyRegime, name: "tiny-too", title: "Tiny too", stepsPerUpdate: 30 }];
const variants = [variantNamed("grpo", "n=2"), variantNamed("patr", "k=2 M=2")];

/** Runs the comparison in the folder, and says how far its bar came. */
async function run(options: {
  readonly seeds: number;
  readonly signal?: AbortSignal;
  readonly workers?: number;
}) {
  const bar: number[] = [];
  const output: Output = {
    line: () => {},
    json: () => {},
    note: () => {},
    progress: (_, total) => ({ update: (done) => void bar.push(done / total), stop: () => {} }),
  };
  const open = await RunFolder.open(folder, { kind: "compare", config: {} });
  try {
    const { signal } = new AbortController();
    return {
      ...(await runComparison(open, { regimes, variants, workers: 2, signal, output, ...options })),
      bar,
    };
  } finally {
    await open.close();
  }
}

test("every cell is run once, seeds going round last, and written with a report and curves", async () => {
  const { cells, report, files, bar } = await run({ seeds: 2 });
  const names = cells.map(cellName);
  expect(names).toEqual(
    [0, 1].flatMap((seed) =>
      ["tiny", "tiny-too"].flatMap((regime) => [
        `${regime}/grpo/n=2/${seed}`,
        `${regime}/patr/k=2 M=2/${seed}`,
      ]),
    ),
  );
  const lines = await linesOf(join(folder, "cells.jsonl"));
  expect(new Set(lines)).toEqual(new Set(cells.map((each) => JSON.stringify(each))));
  expect(lines).toHaveLength(8);
  expect(files).toEqual(["report.md", "curves-tiny.svg", "curves-tiny-too.svg"]);
  expect((await readdir(folder)).sort()).toEqual(["cells.jsonl", ...[...files].sort(), "run.json"].sort());
  expect(report).toBe(compareReport(regimes, cells));
  expect(await readFile(join(folder, "report.md"), "utf8")).toBe(`${report}\n`);
  const own = cells.filter(({ regime }) => regime === "tiny");
  expect(await readFile(join(folder, "curves-tiny.svg"), "utf8")).toBe(curvesSvg(tinyRegime, rowsOf(own)));
  expect([bar[0], bar.at(-1), bar.length]).toEqual([0, 1, 1 + 8 * 4]);
});

test("cells that are in the folder are not run again, and others of the folder are left alone", async () => {
  const known = [
    cell({ regime: "tiny", method: "grpo", setting: "n=2", seed: 0 }, [0, 0, 0, 0.123]),
    cell({ regime: "tiny", method: "arpo", setting: "4 to 8", seed: 0 }, [0, 0, 0, 0.9]),
    cell({ regime: "tiny-too", method: "patr", setting: "k=2 M=2", seed: 0 }, [0, 0, 0, 0.456]),
  ];
  const text = known.map((each) => `${JSON.stringify(each)}\n`).join("");
  await (await RunFolder.open(folder, { kind: "compare", config: {} })).close();
  await writeFile(join(folder, "cells.jsonl"), text);
  const { cells, report, bar } = await run({ seeds: 1 });
  expect(cells).toHaveLength(4);
  expect([cells[0], cells[3]]).toEqual([known[0], known[2]]);
  expect(report).toContain("12.3");
  expect(report).not.toContain("arpo");
  const after = await readFile(join(folder, "cells.jsonl"), "utf8");
  expect(after.startsWith(text)).toBe(true);
  expect(after.trimEnd().split("\n")).toHaveLength(5);
  expect([bar[0], bar.at(-1)]).toEqual([0.5, 1]);
  const again = await run({ seeds: 1 });
  expect([again.cells, again.bar]).toEqual([cells, [1]]);
  expect(await readFile(join(folder, "cells.jsonl"), "utf8")).toBe(after);
});

test("a damaged cell is one error with its line and field, and the file is left as it is", async () => {
  await (await RunFolder.open(folder, { kind: "compare", config: {} })).close();
  const file = join(folder, "cells.jsonl");
  const good = cell({}, [0, 0, 0, 0.5]);
  for (const [damaged, message] of [
    [null, "cells.jsonl line 2: expected `regime` to be a text, got undefined"],
    [{ ...good, seed: "0" }, 'cells.jsonl line 2: expected `seed` to be a whole number, got "0"'],
    [{ ...good, curve: [] }, "cells.jsonl line 2: expected `curve` to be a list that is not empty, got []"],
    [
      { ...good, evaluations: [{ ...good.evaluations[0], pass: null }] },
      "cells.jsonl line 2: expected `evaluations[0].pass` to be a number, got null",
    ],
    [
      { ...good, curve: [null] },
      "cells.jsonl line 2: expected `curve[0].envSteps` to be a number, got undefined",
    ],
  ] as const) {
    const text = [good, damaged].map((each) => `${JSON.stringify(each)}\n`).join("");
    await writeFile(file, text);
    await expect(run({ seeds: 1 })).rejects.toThrow(
      `${message}; the file was damaged after it was written: take the line out, and its cell is run again`,
    );
    expect(await readFile(file, "utf8")).toBe(text);
  }
});

test("an abort keeps the cells that are done and writes no report", async () => {
  const signal = AbortSignal.abort(new Error("stopped by hand"));
  await expect(run({ seeds: 1, signal })).rejects.toThrow("stopped by hand");
  expect((await readdir(folder)).sort()).toEqual(["cells.jsonl", "run.json"]);
  expect((await run({ seeds: 1 })).cells).toHaveLength(4);
});
