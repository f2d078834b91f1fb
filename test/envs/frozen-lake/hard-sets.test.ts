import { expect, test } from "vitest";
import { InputError } from "../../../core/errors.ts";
import { deriveSeed } from "../../../core/rng.ts";
import { tasksOf } from "../../../core/task.ts";
import { distancesToGoal } from "../../../envs/frozen-lake/distance.ts";
import { hardSets } from "../../../envs/frozen-lake/hard-sets.ts";

const [train, test100] = hardSets.map((named) => named.make());

test("every goal is 8 to 12 moves away on a 7x7 to 9x9 map, with 16 turns", () => {
  const sizes = new Set<number>();
  for (const { data } of [...tasksOf(train!, 1000), ...tasksOf(test100!)]) {
    const moves = distancesToGoal(data.map)[data.map.join("").indexOf("S")]!;
    expect(moves >= 8 && moves <= 12).toBe(true);
    expect(data.map.length).toBe(data.size);
    expect(data.p! >= 0.85 && data.p! < 0.95).toBe(true);
    expect(data.maxTurns).toBe(16);
    sizes.add(data.map.length);
  }
  expect(sizes).toEqual(new Set([7, 8, 9]));
});

test("no training map is a test map, and ids are unique", () => {
  const maps = new Set([...tasksOf(train!)].map((task) => task.data.map.join("/")));
  expect([...tasksOf(test100!)].filter((task) => maps.has(task.data.map.join("/")))).toEqual([]);
  expect(maps.size).toBe(9_990); // with holes this rare, ten maps came twice
  expect(new Set([...tasksOf(train!)].map((task) => task.id)).size).toBe(10_000);
});

test("a task depends on its split and index alone", () => {
  const fresh = hardSets[1]!.make();
  expect(fresh.at(41)).toEqual(test100!.at(41));
  expect(fresh.at(41).data.seed).toBe(deriveSeed("frozen-lake/hard", "test", 41));
  expect([train!.size, test100!.size]).toEqual([10_000, 100]);
});

// Content that runs are compared on: a change here needs a new version of the set.
test("the maps stay what they are", () => {
  expect(test100!.digest()).toBe("a1994110693a04bed07d2edb683a87aa1f6a65426d11124483dc52ae68c968be");
  expect(train!.digest()).toBe("660b337dd4ad16897c595ea424ca252042cd2dd83799530d26fbef7a97d49934");
});

test("an option is refused", () => {
  expect(() => hardSets[0]!.make({ limit: "5" })).toThrow(InputError);
  expect(() => hardSets[0]!.make({ limit: "5" })).toThrow(
    /hard-train: unknown option `limit`; .* no options/,
  );
});
