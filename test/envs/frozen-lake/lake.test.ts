import { expect, test } from "vitest";
import { InputError } from "../../../core/errors.ts";
import { compileLake } from "../../../envs/frozen-lake/lake.ts";
import { rows } from "./lakes.ts";

test("a map becomes kinds, moves, starts and goals", () => {
  const lake = compileLake(rows("SFH/FSG"));
  expect(lake).toMatchObject({ rows: 2, cols: 3, starts: [0, 4], goals: [5] });
  expect([...lake.kinds]).toEqual([0, 0, 1, 0, 0, 2]);
  // left, down, right, up of each cell
  expect([...lake.next]).toEqual([0, 3, 1, 0, 0, 4, 2, 1, 1, 5, 2, 2, 3, 3, 4, 0, 3, 4, 5, 1, 4, 5, 5, 2]);
});

test("a map is compiled once, and the caller's array is neither frozen nor trusted to stay as it was", () => {
  const map = ["SF", "FG"];
  const lake = compileLake(map);
  expect(compileLake(map)).toBe(lake);
  expect(compileLake(lake.map)).toBe(lake);
  expect(Object.isFrozen(lake.map)).toBe(true);
  expect(Object.isFrozen(map)).toBe(false);
  map[0] = "SH";
  expect([...compileLake(map).kinds]).toEqual([0, 1, 0, 2]);
  expect(lake.map).toEqual(["SF", "FG"]);
});

test.each<[string, unknown, RegExp]>([
  ["no rows", [], /one row or more/],
  ["no list", "SG", /one row or more/],
  ["nothing", undefined, /one row or more/],
  ["an empty row", ["SG", ""], /row 1 is ""/],
  ["a row that is no text", ["SG", 5], /row 1 is 5/],
  ["rows of unequal length", ["SFF", "FG"], /row 1 has 2 cells and row 0 has 3/],
  ["an unknown letter", ["SF", "FP"], /row 1 col 1 is "P"/],
  ["a small letter", ["sG"], /row 0 col 0 is "s"/],
  ["no start", ["FF", "FG"], /no start/],
  ["no goal", ["SF", "FF"], /no goal/],
])("a map with %s is refused in words", (_what, map, message) => {
  expect(() => compileLake(map as string[])).toThrow(InputError);
  expect(() => compileLake(map as string[], "part")).toThrow(message);
  expect(() => compileLake(map as string[], "part")).toThrow(/^part: /);
});
