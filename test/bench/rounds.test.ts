import { expect, test } from "vitest";
import { alternate, type Side } from "../../bench/rounds.ts";

/** A side that says each operation takes `ns`, and notes when it was asked. */
function fakeSide(name: string, ns: number, asked: [name: string, count: number][]): Side {
  return {
    name,
    block: async (count) => {
      asked.push([name, count]);
      return ns;
    },
  };
}

test("every side runs once a round, and each round begins with the next side", async () => {
  const asked: [string, number][] = [];
  const sides = [fakeSide("a", 1000, asked), fakeSide("b", 50_000, asked), fakeSide("c", 2e6, asked)];
  const samples = await alternate(sides, { rounds: 3, blockMs: 1 });
  expect(asked.slice(-9).map(([name]) => name)).toEqual(["a", "b", "c", "b", "c", "a", "c", "a", "b"]);
  expect(samples).toEqual(
    new Map([
      ["a", [1000, 1000, 1000]],
      ["b", [50_000, 50_000, 50_000]],
      ["c", [2e6, 2e6, 2e6]],
    ]),
  );
});

test("a block's count is what fills its time, and at least one", async () => {
  const asked: [string, number][] = [];
  const sides = [fakeSide("quick", 1000, asked), fakeSide("slow", 5e6, asked)];
  await alternate(sides, { rounds: 1, blockMs: 1 });
  expect(asked.slice(-2)).toEqual([
    ["quick", 1000],
    ["slow", 1],
  ]);
});
