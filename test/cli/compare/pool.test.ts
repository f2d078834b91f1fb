import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, inject, test } from "vitest";
import { type CellKey, type CellResult, cellName, runCell } from "../../../cli/compare/cell.ts";
import { tinyRegime } from "./cells.ts";

type Pool = typeof import("../../../cli/compare/pool.ts");

// The compiled pool: its workers are compiled too.
let runCells: Pool["runCells"];
beforeAll(async () => {
  const url = pathToFileURL(join(inject("packageFolder"), "dist/cli/compare/pool.js")).href;
  ({ runCells } = (await import(url)) as Pool);
});

const keys: readonly CellKey[] = [0, 1, 2].map((seed) => ({
  regime: { ...tinyRegime, stepsPerUpdate: 100 },
  method: "grpo",
  setting: "n=4",
  seed,
}));

/** Runs the keys and writes down what comes back. */
async function run(all: readonly CellKey[], options: Partial<Parameters<Pool["runCells"]>[1]> = {}) {
  const seen = { results: [] as CellResult[], updates: 0 };
  const onResult = async (result: CellResult) => void seen.results.push(result);
  const onUpdate = () => {
    seen.updates++;
  };
  const { signal } = new AbortController();
  const error = await runCells(all, { workers: 2, signal, onUpdate, onResult, ...options }).catch(
    (thrown: Error) => thrown,
  );
  return { ...seen, error };
}

test("every cell comes back once, as this thread would compute it, for any number of workers", async () => {
  const expected = await Promise.all(keys.map((key) => runCell(key)));
  for (const workers of [1, 2, 5]) {
    const { results, updates, error } = await run(keys, { workers });
    expect(error).toBeUndefined();
    expect([...results].sort((a, b) => a.seed - b.seed)).toEqual(expected);
    expect(updates).toBe(3 * tinyRegime.updates);
  }
});

test("no cells are no work", async () => {
  expect(await run([])).toEqual({ results: [], updates: 0, error: undefined });
});

test("a cell that fails is named, and after it nothing is begun on any thread", async () => {
  const broken = { ...keys[0]!, regime: { ...tinyRegime, test: "chess" } };
  const { results, error } = await run([broken, ...keys], { workers: 2 });
  expect(error!.name).toBe("ForkGymError");
  expect(error!.message).toMatch(/^compare: cell tiny\/grpo\/n=4\/0: no task set "chess"; there are /);
  expect(results.length).toBeLessThanOrEqual(1);
});

test("an abort ends it soon, with its reason, and keeps what had come", async () => {
  const controller = new AbortController();
  const results: string[] = [];
  const onResult = async (result: CellResult) => {
    results.push(cellName(result));
    controller.abort(new Error("stopped by hand"));
  };
  const { error } = await run(keys, { workers: 1, signal: controller.signal, onResult });
  expect(error!.message).toBe("stopped by hand");
  expect(results).toEqual(["tiny/grpo/n=4/0"]);
  const { error: before, updates } = await run(keys, { signal: controller.signal });
  expect([before!.message, updates]).toEqual(["stopped by hand", 0]);
});

test("an abort in the middle of a cell ends that cell", async () => {
  const controller = new AbortController();
  const endless = { ...keys[0]!, regime: { ...tinyRegime, updates: 1_000_000 } };
  const onUpdate = () => controller.abort(new Error("stopped by hand"));
  const { results, error } = await run([endless], { signal: controller.signal, onUpdate });
  expect([results, error!.message]).toEqual([[], "stopped by hand"]);
});

test("a result that cannot be kept ends it with that error", async () => {
  const onResult = async () => {
    throw new Error("disk full");
  };
  expect((await run(keys, { workers: 1, onResult })).error!.message).toBe("disk full");
});
