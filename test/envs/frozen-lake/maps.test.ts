import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../../../core/errors.ts";
import { distancesToGoal } from "../../../envs/frozen-lake/distance.ts";
import { compileLake } from "../../../envs/frozen-lake/lake.ts";
import { drawRllmMap } from "../../../envs/frozen-lake/maps.ts";
import { rllmRows } from "../../../envs/frozen-lake/rllm-sets.ts";
import { rllmMaps } from "./lakes.ts";

test.each([
  [42, 4, 0.8, "FFSF/FHFF/FFFH/GHFF"],
  [1, 3, 0.7, "GFS/FFF/FFF"],
  [1, 5, 0.8, "FHFSF/FHGFF/FFFFF/FFFFF/FFFHH"],
])("seed %s, size %s, p %s gives rLLM's map", (seed, size, p, map) => {
  expect(drawRllmMap({ seed, size, p }).join("/")).toBe(map);
});

test.each([
  [0, "FHHFHFHH/FHFFFFFF/FFFFFFFH/HHFFSFFH/FFFFHFFF/FFFFHGFF/FFFFFFFF/FFFHHFHF"],
  [3, "GS/FF"],
])("test row %s gives rLLM's map", (index, map) => {
  expect(drawRllmMap(rllmRows("test")[index]!).join("/")).toBe(map);
});

test("every map has one start, one goal and a way between them", () => {
  fc.assert(
    fc.property(rllmMaps, (map) => {
      const { starts, goals } = compileLake(map);
      expect([starts.length, goals.length]).toEqual([1, 1]);
      expect(distancesToGoal(map)[starts[0]!]).toBeGreaterThan(0);
    }),
  );
});

test("the search depth bounds the way: limit + 1 moves at most", () => {
  for (const limit of [5, 8] as const) {
    const moves = Array.from({ length: 300 }, (_, seed) => {
      const map = drawRllmMap({ seed, size: 9, p: 0.8, limit });
      return distancesToGoal(map)[compileLake(map).starts[0]!]!;
    });
    expect(Math.max(...moves)).toBe(limit + 1);
  }
});

test.each([
  [{ seed: 1, size: 1, p: 0.8 }, /`size`/],
  [{ seed: 1, size: 4, p: 1.1 }, /`p`/],
  [{ seed: 1, size: 4, p: Number.NaN }, /`p`/],
  [{ seed: 0.5, size: 4, p: 0.8 }, /`seed`/],
  [{ seed: 1, size: 4, p: 0.8, limit: -1 as never }, /`limit`/],
])("%j is refused", (options, message) => {
  expect(() => drawRllmMap(options)).toThrow(InputError);
  expect(() => drawRllmMap(options)).toThrow(message);
});
