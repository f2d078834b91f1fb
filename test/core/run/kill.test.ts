import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { CellResult } from "../../../cli/compare/cell.ts";
import { createRng, type Rng } from "../../../core/rng.ts";
import { digestOf, type TreeRecord } from "../../../core/run/record.ts";
import { readTrees } from "../../../core/run/rollout-run.ts";
import { MissingRun, readManifest } from "../../../core/run/run-folder.ts";
import { forkgym, freshFolder, linesOf, start } from "../../cli/forkgym.ts";

/** When to kill: so long after the start, or once the run has written so many more lines. */
type Moment = { readonly afterMs: number } | { readonly afterLines: number };

/** How an attempt ended, and how far the file had come. */
interface Attempt {
  readonly killed: boolean;
  readonly linesBefore: number;
  readonly linesAfter: number;
}

/** Runs the command and kills it with SIGKILL at that moment, unless it is done before. */
async function attempt(cwd: string, args: string, file: string, moment: Moment): Promise<Attempt> {
  const linesBefore = (await linesOf(file)).length;
  const running = start(cwd, args);
  if ("afterMs" in moment) await Promise.race([setTimeout(moment.afterMs), running.ended]);
  else {
    const wanted = linesBefore + moment.afterLines;
    while (running.process.exitCode === null && (await linesOf(file)).length < wanted) await setTimeout(1);
  }
  running.process.kill("SIGKILL");
  const { signal, code, stderr } = await running.ended;
  if (signal === null) expect([code, stderr], args).toEqual([0, expect.not.stringContaining("forkgym:")]);
  return { killed: signal !== null, linesBefore, linesAfter: (await linesOf(file)).length };
}

/** Four kills in five come after a few lines, one anywhere from the start to where lines begin to come. */
function draw(rng: Rng, lines: number, startMs: number): Moment {
  return rng.below(5) === 0 ? { afterMs: rng.below(startMs) } : { afterLines: 1 + rng.below(lines) };
}

/** Every tree of a folder as it was left behind, each checked; none if the kill came before `run.json`. */
async function treesIn(run: string): Promise<TreeRecord[]> {
  const records: TreeRecord[] = [];
  for await (const { record } of readTrees(run)) {
    expect(digestOf(record)).toBe(record.digest);
    records.push(record);
  }
  const manifest = await readManifest(run).catch((error: unknown) => {
    if (!(error instanceof MissingRun)) throw error;
  });
  if (manifest === undefined) expect(records).toEqual([]);
  return records;
}

/** Runs the command whole in a folder of its own, and says how long it took. */
async function whole(cwd: string, args: string): Promise<number> {
  const began = performance.now();
  const { code, stderr } = await forkgym(cwd, args);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("forkgym:")]);
  return performance.now() - began;
}

test("rollouts that are killed 24 times lose no finished tree, and end with the trees of one that never was", async () => {
  const folder = await freshFolder();
  const rng = createRng("rollout kills");
  const args = (out: string) =>
    `rollout frozen-lake/hard-test --strategy patr:maxLeaves=12 --trees 4 --out ${out}`;
  const wholeMs = await whole(folder, args("whole"));
  const expected = (await treesIn(join(folder, "whole"))).map(({ digest }) => digest).sort();
  expect(expected).toHaveLength(100);

  let [kills, midway, runs] = [0, 0, 0];
  while (kills < 24) {
    const out = `r${runs++}`;
    const run = join(folder, out);
    const seen = new Set<string>();
    for (let done = false; !done; ) {
      const moment = kills < 24 ? draw(rng, 9, wholeMs / 2) : { afterLines: Number.POSITIVE_INFINITY };
      const { killed, linesBefore, linesAfter } = await attempt(
        folder,
        args(out),
        join(run, "trees.jsonl"),
        moment,
      );
      if (killed) kills++;
      if (killed && linesAfter > linesBefore && linesAfter < 100) midway++;
      const records = await treesIn(run);
      const now = new Set(records.map(({ digest }) => digest));
      expect(new Set(records.map(({ task }) => task.id)).size).toBe(records.length);
      for (const digest of seen) expect(now).toContain(digest);
      for (const digest of now) seen.add(digest);
      done = !killed;
    }
    expect((await treesIn(run)).map(({ digest }) => digest).sort()).toEqual(expected);
  }
  expect(kills).toBeGreaterThanOrEqual(24);
  expect(midway).toBeGreaterThanOrEqual(12);
}, 120_000);

test("growing incomplete trees again is killed eight times and never loses a complete one", async () => {
  const folder = await freshFolder();
  const rng = createRng("retry kills");
  const args = "rollout frozen-lake/hard-test --strategy patr:maxLeaves=12 --tasks 40 --trees 4 --out r";
  const wholeMs = await whole(folder, args);
  const run = join(folder, "r");
  const expected = (await treesIn(run)).map(({ digest }) => digest).sort();
  let kills = 0;
  for (let done = false; !done; ) {
    // Each second tree is made one that failed.
    const records = await treesIn(run);
    const marked = records.map((record, at) => {
      const failed = { ...record, problems: ["branch 0, after turn 0: no server"] };
      return at % 2 === 0 ? record : { ...failed, digest: digestOf(failed) };
    });
    const lines = marked.map((record) => `${JSON.stringify(record)}\n`).join("");
    await writeFile(join(run, "trees.jsonl"), lines);
    const running = start(folder, `${args} --retry-incomplete`);
    if (kills < 8) await Promise.race([setTimeout(rng.below(wholeMs)), running.ended]);
    else await running.ended;
    running.process.kill("SIGKILL");
    const { signal } = await running.ended;
    const after = (await treesIn(run)).map(({ digest }) => digest);
    for (const { digest } of marked.filter((_, at) => at % 2 === 0)) expect(after).toContain(digest);
    if (signal !== null) kills++;
    done = signal === null && kills >= 8;
  }
  expect((await treesIn(run)).map(({ digest }) => digest).sort()).toEqual(expected);
}, 120_000);

test("a comparison that is killed four times finds the same cells", async () => {
  const folder = await freshFolder();
  const rng = createRng("compare kills");
  const args = (out: string) =>
    `compare frozen-lake --methods grpo --regimes rllm --seeds 2 --updates 4 --workers 2 --out ${out}`;
  const cellsIn = async (out: string) => {
    const cells = (await linesOf(join(folder, out, "cells.jsonl"))).map(
      (line) => JSON.parse(line) as CellResult,
    );
    return new Set(cells.map((cell) => JSON.stringify(cell)));
  };
  const wholeMs = await whole(folder, args("whole"));
  let [kills, midway, seen] = [0, 0, new Set<string>()];
  for (let done = false; !done; ) {
    const moment: Moment =
      kills >= 4
        ? { afterLines: Number.POSITIVE_INFINITY }
        : kills % 2 === 0
          ? { afterLines: 1 + rng.below(2) }
          : { afterMs: rng.below(wholeMs / 2) };
    const { killed, linesAfter } = await attempt(folder, args("c"), join(folder, "c/cells.jsonl"), moment);
    if (killed) kills++;
    if (killed && linesAfter < 8) midway++;
    const now = await cellsIn("c");
    for (const cell of seen) expect(now).toContain(cell);
    seen = now;
    done = !killed;
  }
  expect([kills, midway >= 2]).toEqual([4, true]);
  expect(seen.size).toBe(8);
  expect(seen).toEqual(await cellsIn("whole"));
  for (const name of ["report.md", "curves-rllm.svg"]) {
    const text = (out: string) => readFile(join(folder, out, name), "utf8");
    expect(await text("c")).toBe(await text("whole"));
  }
}, 120_000);

test("training that is killed four times learns the same", async () => {
  const folder = await freshFolder();
  const rng = createRng("train kills");
  const args = (out: string) => `train frozen-lake/rllm-test --updates 40 --steps 300 --out ${out}`;
  const wholeMs = await whole(folder, args("whole"));
  let [kills, midway] = [0, 0];
  for (let done = false; !done; ) {
    const moment: Moment =
      kills >= 4
        ? { afterLines: Number.POSITIVE_INFINITY }
        : kills === 1
          ? { afterMs: rng.below(wholeMs / 2) }
          : { afterLines: 3 + rng.below(8) };
    const { killed, linesAfter } = await attempt(folder, args("t"), join(folder, "t/updates.jsonl"), moment);
    if (killed) kills++;
    if (killed && linesAfter > 0 && linesAfter < 40) midway++;
    done = !killed;
  }
  expect([kills, midway >= 3]).toEqual([4, true]);
  for (const name of ["learner.json", "updates.jsonl"]) {
    const text = (out: string) => readFile(join(folder, out, name), "utf8");
    expect(await text("t")).toBe(await text("whole"));
  }
}, 120_000);
