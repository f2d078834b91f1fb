import { describe, expect, test } from "vitest";
import { type CellKey, cellName, runCell } from "../../../cli/compare/cell.ts";
import { tinyRegime } from "./cells.ts";

const key = (fields: Partial<CellKey> = {}): CellKey => ({
  regime: tinyRegime,
  method: "patr",
  setting: "k=2 M=2",
  seed: 1,
  ...fields,
});

test("a cell and what it found have the same name", () => {
  expect(cellName(key())).toBe("tiny/patr/k=2 M=2/1");
  expect(cellName({ ...key(), regime: "tiny", evaluations: [], curve: [] })).toBe(cellName(key()));
});

test("a cell depends on its key alone: others in between change nothing, and another seed does", async () => {
  const regime = { ...tinyRegime, stepsPerUpdate: 150 };
  const first = await runCell(key({ regime }));
  const other = await runCell(key({ regime, seed: 2 }));
  await runCell(key({ regime, method: "grpo", setting: "n=4" }));
  expect(await runCell(key({ regime }))).toEqual(first);
  expect(JSON.parse(JSON.stringify(first))).toEqual(first);
  expect(other.curve).not.toEqual(first.curve);
  expect(other.evaluations).not.toEqual(first.evaluations);
});

describe("for one seed", () => {
  test("every method starts from the same weights and is judged by the same episodes", async () => {
    // Hard lakes are hardly ever won at random: no group of the first update is mixed, and nothing is learned.
    const regime = { ...tinyRegime, train: "frozen-lake/hard-train", stepsPerUpdate: 200 };
    const judged = async (method: string, setting: string, seed = 1) => {
      const { evaluations, curve } = await runCell(key({ regime, method, setting, seed }));
      expect(curve[0]!.mixed).toBe(0);
      const { success, pass } = evaluations[0]!;
      return [success, pass];
    };
    const grpo = await judged("grpo", "n=2");
    for (const [method, setting] of [
      ["dapo", "n=4"],
      ["arpo", "4 to 8"],
      ["tree-random", "k=1 M=4"],
      ["patr", "k=2 M=2"],
    ] as const) {
      expect(await judged(method, setting), method).toEqual(grpo);
    }
    expect(await judged("grpo", "n=2", 2)).not.toEqual(grpo);
  });

  test("methods that roll out alike see the same tasks and trees until they have learned", async () => {
    const regime = { ...tinyRegime, stepsPerUpdate: 200 };
    const grpo = await runCell(key({ regime, method: "grpo", setting: "n=4" }));
    const dapo = await runCell(key({ regime, method: "dapo", setting: "n=4" }));
    expect(dapo.curve[0]).toEqual(grpo.curve[0]);
    expect(dapo.curve.slice(1)).not.toEqual(grpo.curve.slice(1));
  });
});

test("DAPO's two changes are methods of their own, and differ from it and from GRPO", async () => {
  const regime = { ...tinyRegime, stepsPerUpdate: 200 };
  const methods = ["grpo", "dynamic-sampling", "token-mean", "dapo"];
  const found = await Promise.all(methods.map((method) => runCell(key({ regime, method, setting: "n=4" }))));
  expect(new Set(found.map(({ curve }) => JSON.stringify(curve[0]))).size).toBe(1);
  expect(new Set(found.map(({ curve }) => JSON.stringify(curve.slice(1)))).size).toBe(4);
});

test("it is judged at each quarter of the updates, and the curve has at most forty points", async () => {
  const told: number[] = [];
  const few = await runCell(key({ regime: { ...tinyRegime, updates: 6 } }), (update) => told.push(update));
  expect(told).toEqual([1, 2, 3, 4, 5, 6]);
  expect(few.curve).toHaveLength(6);
  const steps = few.curve.map(({ envSteps }) => envSteps);
  expect(few.evaluations.map(({ envSteps }) => envSteps)).toEqual(
    [2, 3, 5, 6].map((update) => steps[update - 1]),
  );

  // 82 updates at three a point; the first three are those of the shorter run.
  const grpo = { method: "grpo", setting: "n=2" };
  const regime = { ...tinyRegime, stepsPerUpdate: 25 };
  const many = await runCell(key({ ...grpo, regime: { ...regime, updates: 82 } }));
  expect([many.evaluations.length, many.curve.length]).toEqual([4, 28]);
  expect(many.curve.at(-1)!.envSteps).toBe(many.evaluations.at(-1)!.envSteps);
  const short = (await runCell(key({ ...grpo, regime }))).curve.slice(0, 3);
  const mean = (of: "success" | "mixed" | "entropy" | "turns") =>
    expect.closeTo(short.reduce((sum, point) => sum + point[of], 0) / 3, 9);
  expect(many.curve[0]).toEqual({
    envSteps: short[2]!.envSteps,
    success: mean("success"),
    mixed: mean("mixed"),
    entropy: mean("entropy"),
    turns: mean("turns"),
  });
});

test("an environment without features for the learner is refused", async () => {
  const regime = { ...tinyRegime, train: "frozen-lake-v1/4x4", test: "frozen-lake-v1/4x4" };
  await expect(runCell(key({ regime }))).rejects.toThrow(
    "compare: frozen-lake-v1 has no features for the learner",
  );
});
