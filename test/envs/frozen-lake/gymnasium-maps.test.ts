import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../../../core/errors.ts";
import { distancesToGoal } from "../../../envs/frozen-lake/distance.ts";
import { GYMNASIUM_MAPS, generateRandomMap } from "../../../envs/frozen-lake/gymnasium-maps.ts";
import { gymnasiumMaps } from "./lakes.ts";

test.each([
  [0, 4, "SFFF/HHFF/FHHF/HFFG"],
  [1, 4, "SHFH/FFHF/FFFF/FFFG"],
  [7, 4, "SHFF/FHFH/FFFF/FFFG"],
  [42, 8, "SFHFFHFF/FFFHFHFF/FFHFFFHH/FFFFFFFH/FFFFFFFF/FHFFHHFF/FFFFFFFF/FFFFFFFG"],
  [123, 8, "SFFFFHHF/HHFFHFFF/HFFFFFFF/FFFFHFHH/FHFFFHFF/FFFFFFFF/FFFFFFFF/HFFHFFFG"],
])("seed %s of size %s gives Gymnasium's map", (seed, size, map) => {
  expect(generateRandomMap({ seed, size }).join("/")).toBe(map);
  expect(generateRandomMap({ seed, size, p: 0.8 }).join("/")).toBe(map);
});

test("the named maps are Gymnasium's", () => {
  expect(GYMNASIUM_MAPS["4x4"].join("/")).toBe("SFFF/FHFH/FFFH/HFFG");
  expect(GYMNASIUM_MAPS["8x8"].join("/")).toBe(
    "SFFFFFFF/FFFFFFFF/FFFHFFFF/FFFFFHFF/FFFHFFFF/FHHFFFHF/FHFFHFHF/FFFHFFFG",
  );
});

test("the goal can always be reached", () => {
  fc.assert(
    fc.property(gymnasiumMaps, (map) => {
      expect(distancesToGoal(map)[0]).toBeGreaterThan(0);
    }),
  );
});

test("p above 1 is all ice", () => {
  expect(generateRandomMap({ seed: 3, size: 2, p: 7 })).toEqual(["SF", "FG"]);
});

test.each([
  [{ seed: 1, size: 1 }, /`size`/],
  [{ seed: 1, size: 2.5 }, /`size`/],
  [{ seed: 1, size: 4, p: 0 }, /`p`/],
  [{ seed: 1, size: 4, p: Number.NaN }, /`p`/],
  [{ seed: -1, size: 4 }, /`seed`/],
  [{ seed: 1, size: 5, p: 1e-9 }, /raise `p`/],
])("%j is refused", (options, message) => {
  expect(() => generateRandomMap(options)).toThrow(InputError);
  expect(() => generateRandomMap(options)).toThrow(message);
});
