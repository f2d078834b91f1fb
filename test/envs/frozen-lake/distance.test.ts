import fc from "fast-check";
import { expect, test } from "vitest";
import { distancesToGoal } from "../../../envs/frozen-lake/distance.ts";
import { compileLake, HOLE } from "../../../envs/frozen-lake/lake.ts";
import { rllmMaps, rows } from "./lakes.ts";

test("distances go round holes, and are -1 on holes and where no way leads", () => {
  expect([...distancesToGoal(rows("SHF/FHF/FFG"))]).toEqual([4, -1, 2, 3, -1, 1, 2, 1, 0]);
  expect([...distancesToGoal(rows("SHG/HFH"))]).toEqual([-1, -1, 0, -1, -1, -1]);
  expect([...distancesToGoal(rows("GFSFFG"))]).toEqual([0, 1, 2, 2, 1, 0]);
});

test("the table is computed once per map", () => {
  const map = rows("SG");
  expect(distancesToGoal(map)).toBe(distancesToGoal(map));
});

test("every cell is one move further than its nearest neighbour", () => {
  fc.assert(
    fc.property(rllmMaps, (map) => {
      const { kinds, next, goals, starts } = compileLake(map);
      const distances = distancesToGoal(map);
      expect(distances[starts[0]!]).toBeGreaterThan(0);
      kinds.forEach((kind, cell) => {
        const near = [0, 1, 2, 3].map((move) => next[cell * 4 + move]!).filter((at) => at !== cell);
        const reached = near.map((at) => distances[at]!).filter((moves) => moves >= 0);
        const expected = kind === HOLE ? -1 : goals.includes(cell) ? 0 : 1 + Math.min(...reached, 1000);
        expect(distances[cell]).toBe(expected > 1000 ? -1 : expected);
      });
    }),
  );
});
