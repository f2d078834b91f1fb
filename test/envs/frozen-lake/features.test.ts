import fc from "fast-check";
import { expect, test } from "vitest";
import { lakeActions, lakeFeatures } from "../../../envs/frozen-lake/features.ts";
import { actions, playNodes, rllmMaps, rows } from "./lakes.ts";

function written(node: Parameters<typeof lakeFeatures.write>[0]): number[] {
  const out = new Int32Array(lakeFeatures.count).fill(-1);
  lakeFeatures.write(node, out);
  return [...out];
}

test("sizes", () => {
  expect(lakeFeatures).toMatchObject({ size: 111, count: 28 });
  expect(lakeActions).toEqual(["left", "down", "right", "up"]);
});

test("the window is centred on the player and walled by the outside", async () => {
  const [root, moved] = await playNodes({ map: rows("SFH/FFF/FFG") }, ["down"]);
  const kinds = (active: readonly number[]): string =>
    active
      .slice(0, 25)
      .map((index, cell) => "_OG#"[index - cell * 4])
      .join("")
      .replace(/(.{5})(?!$)/g, "$1/");
  expect(kinds(written(root!))).toBe("#####/#####/##__O/##___/##__G");
  expect(kinds(written(moved!))).toBe("#####/##__O/##___/##__G/#####");
  // Goal down (102), right (105); no action yet (106), then down (108).
  expect(written(root!).slice(25)).toEqual([102, 105, 106]);
  expect(written(moved!).slice(25)).toEqual([102, 105, 108]);
});

test("the goal's direction and every last action have an input of their own", async () => {
  const tail = async (map: string, ...chosen: ("left" | "down" | "right" | "up" | "invalid")[]) =>
    written((await playNodes({ map: rows(map) }, chosen)).at(-1)!).slice(25);
  expect(await tail("G/F/S")).toEqual([100, 104, 106]);
  expect(await tail("GFS")).toEqual([101, 103, 106]);
  expect(await tail("GFSF", "right")).toEqual([101, 103, 109]);
  expect(await tail("GFFS", "left")).toEqual([101, 103, 107]);
  expect(await tail("SFG", "up")).toEqual([101, 105, 110]);
  expect(await tail("SFG", "invalid")).toEqual([101, 105, 106]);
});

test("exactly `count` different indices are active, all in range", async () => {
  await fc.assert(
    fc.asyncProperty(rllmMaps, fc.array(actions, { maxLength: 8 }), async (map, chosen) => {
      for (const node of await playNodes({ map }, chosen)) {
        const active = written(node);
        expect(new Set(active).size).toBe(lakeFeatures.count);
        expect(active.every((index) => index >= 0 && index < lakeFeatures.size)).toBe(true);
      }
    }),
  );
});
