import fc from "fast-check";
import { describe } from "vitest";
import { type GymnasiumAction, GymnasiumFrozenLake } from "../../../envs/frozen-lake/gymnasium.ts";
import { GYMNASIUM_MAPS } from "../../../envs/frozen-lake/gymnasium-maps.ts";
import type { GymnasiumLakeData } from "../../../envs/frozen-lake/gymnasium-rules.ts";
import { hardSets } from "../../../envs/frozen-lake/hard-sets.ts";
import { RllmFrozenLake } from "../../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../../envs/frozen-lake/rllm-rules.ts";
import { rllmSets } from "../../../envs/frozen-lake/rllm-sets.ts";
import { testEnv } from "../../contracts/index.ts";
import { actions, rows, taskOf } from "./lakes.ts";

const LEFT = 0;
const DOWN = 1;
const RIGHT = 2;

/** Every way from S leads to a hole or the goal, so that the first move ends it, wherever the ice takes it. */
const ISLAND = "FHF/HSG/FHF";

function rllm(data: RllmLakeData, chosen: readonly RllmAction[]) {
  const others = [...rllmSets, ...hardSets].map((named) => named.make().at(3));
  const task = taskOf(data);
  testEnv({
    make: () => new RllmFrozenLake(),
    tasks: [task, { ...task, data: { ...data, maxTurns: 4 } }, ...others],
    action: actions,
    ending: { task, seed: 5, actions: chosen },
    noisy: data.isSlippery ?? false,
  });
}

describe("rLLM's lake", () => {
  describe("that ends on the goal", () => {
    rllm({ map: rows("GS/FF") }, ["down", "left", "up"]);
  });
  describe("that ends in a hole", () => {
    rllm({ map: rows("FFSF/FHFF/FFFH/GHFF") }, ["up", "invalid", "down", "left"]);
  });
  describe("that ends by its turns", () => {
    rllm({ map: rows("SFFG"), maxTurns: 3 }, ["right", "invalid", "left"]);
  });
  describe("that is slippery and ends at once", () => {
    rllm({ map: rows(ISLAND), isSlippery: true }, ["left"]);
  });
  describe("that is slippery and ends by its turns", () => {
    // Two moves cannot reach the goal, which is four cells away; there are no holes.
    rllm({ map: rows("SFF/FFF/FFG"), isSlippery: true, maxTurns: 2 }, ["down", "right"]);
  });
});

function gymnasium(data: GymnasiumLakeData, chosen: readonly GymnasiumAction[]) {
  const task = taskOf(data);
  testEnv({
    make: () => new GymnasiumFrozenLake(),
    tasks: [task, taskOf({ ...data, map: GYMNASIUM_MAPS["4x4"] }), taskOf({ ...data, maxTurns: 3 })],
    action: fc.constantFrom<GymnasiumAction>(0, 1, 2, 3),
    ending: { task, seed: 5, actions: chosen },
    noisy: data.isSlippery !== false && data.successRate !== 1,
  });
}

describe("Gymnasium's lake", () => {
  describe("4x4, not slippery", () => {
    gymnasium({ map: GYMNASIUM_MAPS["4x4"], isSlippery: false }, [DOWN, DOWN, RIGHT, RIGHT, DOWN, RIGHT]);
  });
  describe("8x8, not slippery, into the first hole", () => {
    const way = [RIGHT, RIGHT, RIGHT, DOWN, DOWN] as const;
    gymnasium({ map: GYMNASIUM_MAPS["8x8"], isSlippery: false, maxTurns: 200 }, way);
  });
  describe("8x8, slippery, too short to get anywhere", () => {
    // The nearest hole is five moves away.
    gymnasium({ map: GYMNASIUM_MAPS["8x8"], maxTurns: 4 }, [RIGHT, DOWN, RIGHT, DOWN]);
  });
  describe("slippery, and any move ends it", () => {
    gymnasium({ map: rows(ISLAND) }, [RIGHT]);
  });
  describe("that takes the chosen move for certain", () => {
    gymnasium({ map: rows("GS/FF"), successRate: 1 }, [DOWN, LEFT, 3]);
  });
  describe("that never takes the chosen move", () => {
    // Left and right of up are walls or goals; up itself, which leads into the hole, is never taken.
    gymnasium({ map: rows("FHF/GSG/FFF"), successRate: 0 }, [3]);
  });
  describe("with an odd success rate, several starts and goals, and a schedule of rewards", () => {
    const data = {
      map: rows("SFGS/FFFF/SFFG"),
      successRate: 0.123,
      rewardSchedule: [10, -5, -0.25],
    } as const;
    gymnasium({ ...data, maxTurns: 1 }, [DOWN]);
  });
});
