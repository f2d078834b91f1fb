import { expect, test } from "vitest";
import { InputError } from "../../../core/errors.ts";
import { sha256 } from "../../../core/json.ts";
import { tasksOf } from "../../../core/task.ts";
import { distancesToGoal } from "../../../envs/frozen-lake/distance.ts";
import { drawRllmMap } from "../../../envs/frozen-lake/maps.ts";
import { rllmRows, rllmSets } from "../../../envs/frozen-lake/rllm-sets.ts";

const [train, test100] = rllmSets as [(typeof rllmSets)[0], (typeof rllmSets)[0]];

/** Moves from start to goal. */
function optimum(map: readonly string[]): number {
  return distancesToGoal(map)[map.join("").indexOf("S")]!;
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

test("the rows are those of rLLM's script", () => {
  const short = (row: { seed: number; size: number; p: number }) => [row.seed, row.size, row.p];
  expect(rllmRows("train").slice(0, 5).map(short)).toEqual([
    [15795, 4, 0.6052909534955095],
    [860, 9, 0.6841764172243834],
    [76820, 9, 0.6361189241486513],
    [54886, 7, 0.6582430530195098],
    [6265, 6, 0.8263723693728314],
  ]);
  expect(rllmRows("test").slice(0, 4).map(short)).toEqual([
    [84433, 8, 0.6900225239533877],
    [73704, 8, 0.7193099687022328],
    [6861, 9, 0.7511561930505635],
    [61914, 2, 0.7671657724529218],
  ]);
  expect([rllmRows("train").length, rllmRows("test").length]).toEqual([10_000, 100]);
  const lines = rllmRows("test").map((row) => `${row.seed},${row.size}`);
  expect(sha256(lines.join("\n"))).toBe("b40da1e3514a1982a23f4ed611e3b514228d4606566f9088e865853970973350");
  const trainSeeds = new Set(rllmRows("train").map((row) => row.seed));
  expect(rllmRows("test").filter((row) => trainSeeds.has(row.seed)).length).toBe(9);
});

test("the test maps are rLLM's, for both search depths", () => {
  expect(test100.make().digest()).toBe("1d03f16057b7dfc9e316a65c4422b094d81ac2bf65f6cab1c1093ec2bd0ffc20");
  expect(test100.make({ limit: "5" }).digest()).toBe(test100.make().digest());
  expect(test100.make({ limit: "8" }).digest()).toBe(
    "6e35695464e7cb0ce8710f8f67f786308021bde138f77a26da4b0c1719708554",
  );
});

test("the first 1000 training maps are rLLM's", () => {
  const maps = rllmRows("train").slice(0, 1000).map(drawRllmMap);
  expect(sha256(maps.map((map) => map.join("/")).join("\n"))).toBe(
    "5bdfe3b662163d19925d32e60161df15b0ab97a1b7ace005f7f049a5415c6623",
  );
});

test("the search depth changes 18 test maps and 299 of the first 2000 training maps", () => {
  const changed = (rows: readonly { seed: number; size: number; p: number }[]): number =>
    rows.filter((row) => drawRllmMap(row).join() !== drawRllmMap({ ...row, limit: 8 }).join()).length;
  expect(changed(rllmRows("test"))).toBe(18);
  expect(changed(rllmRows("train").slice(0, 2000))).toBe(299);
});

test("a quarter of the test maps need one move, none more than six", () => {
  const counts: Record<number, number> = {};
  const moves = rllmRows("test").map((row) => optimum(drawRllmMap(row)));
  for (const move of moves) counts[move] = (counts[move] ?? 0) + 1;
  expect(counts).toEqual({ 1: 25, 2: 15, 3: 22, 4: 22, 5: 6, 6: 10 });
  expect(mean(moves)).toBeCloseTo(2.99, 10);
  const deeper = rllmRows("test").map((row) => optimum(drawRllmMap({ ...row, limit: 8 })));
  expect(mean(deeper)).toBeCloseTo(3.42, 10);
  expect(Math.max(...deeper)).toBe(9);
  const training = rllmRows("train")
    .slice(0, 2000)
    .map((row) => optimum(drawRllmMap(row)));
  expect(mean(training)).toBeCloseTo(2.77, 1);
});

test("tasks carry their row, ten turns and an id of their own", () => {
  const set = train.make();
  expect(set.at(0)).toEqual({
    id: "rllm-train/15795_4_0.6052909534955095",
    data: { map: expect.any(Array), maxTurns: 10, seed: 15795, size: 4, p: 0.6052909534955095 },
  });
  expect(set.at(7)).toBe(set.at(7));
  for (const named of rllmSets) {
    const all = named.make();
    expect([all.name, all.summary]).toEqual([named.name, named.summary]);
    expect(new Set([...tasksOf(all)].map((task) => task.id)).size).toBe(all.size);
  }
});

test("a digest of all 10,000 training maps is quick", () => {
  const before = performance.now();
  expect(train.make().digest()).toMatch(/^[0-9a-f]{64}$/);
  expect(performance.now() - before).toBeLessThan(10_000);
});

test("wrong options and indices are named", () => {
  expect(() => test100.make({ limit: "6" })).toThrow(InputError);
  expect(() => test100.make({ limit: "6" })).toThrow(/frozen-lake\/rllm-test: .*`limit`.*5, 8, got 6/);
  expect(() => test100.make({ depth: "5" })).toThrow(/unknown option `depth`.*`limit`/);
  for (const index of [-1, 100, 0.5, Number.NaN]) expect(() => test100.make().at(index)).toThrow(RangeError);
});
