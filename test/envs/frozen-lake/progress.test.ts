import fc from "fast-check";
import { expect, test } from "vitest";
import type { Node } from "../../../core/rollout/tree.ts";
import { distancesToGoal } from "../../../envs/frozen-lake/distance.ts";
import { progressScorer } from "../../../envs/frozen-lake/progress.ts";
import type { LakeView } from "../../../envs/frozen-lake/rllm.ts";
import type { RllmAction } from "../../../envs/frozen-lake/rllm-rules.ts";
import { actions, playNodes, rllmMaps, rows, taskOf } from "./lakes.ts";

const signal = new AbortController().signal;

function score(node: Node<LakeView, RllmAction>): number {
  const value = progressScorer.score({ task: taskOf({ map: node.observation.map }), node, signal });
  if (typeof value !== "number") throw new Error(`expected a number, got ${value}`);
  return value;
}

async function scores(map: string, chosen: readonly RllmAction[], maxTurns = 10): Promise<number[]> {
  return (await playNodes({ map: rows(map), maxTurns }, chosen)).map(score);
}

test("the formula, step by step", async () => {
  // S is 4 moves from G. Wasted: the wall, and the way back to the start.
  const values = await scores("SFFFG", ["right", "left", "up", "right", "right", "right", "right"]);
  const expected = [
    0.2,
    0.8 * (1 / 4) + 0.2,
    0.2 * (1 - 1 / 2),
    0.2 * (1 - 2 / 3),
    0.8 * (1 / 4) + 0.2 * (1 - 3 / 4),
    0.8 * (2 / 4) + 0.2 * (1 - 3 / 5),
    0.8 * (3 / 4) + 0.2 * (1 - 3 / 6),
    1,
  ];
  expect(values.length).toBe(expected.length);
  values.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i]!, 12);
  });
});

test("going away from the goal earns nothing for the way, and is not negative", async () => {
  expect((await scores("FFSG", ["left", "left"]))[2]).toBeCloseTo(0.2, 12);
});

test("a hole, a goal out of reach and a way longer than the turns left are worth 0", async () => {
  expect((await scores("SFG/HFF", ["down"])).at(-1)).toBe(0);
  expect((await scores("SHG", ["left"])).at(-1)).toBe(0);
  expect(await scores("SFFG", ["invalid", "right"], 3)).toEqual([0.2, 0, 0]);
});

test("scores lie in [0, 1]; success is 1, failure and the turn limit are 0", async () => {
  await fc.assert(
    fc.asyncProperty(
      rllmMaps,
      fc.boolean(),
      fc.array(actions, { maxLength: 10 }),
      async (map, isSlippery, chosen) => {
        for (const node of await playNodes({ map, isSlippery }, chosen, 5)) {
          const value = score(node);
          expect(value >= 0 && value <= 1).toBe(true);
          if (node.end !== undefined) expect(value).toBe(node.end === "success" ? 1 : 0);
          else expect(value).toBeLessThan(1);
        }
      },
    ),
  );
});

test("a move to a nearer cell that was not visited before never lowers the score, a wasted turn never raises it", async () => {
  await fc.assert(
    fc.asyncProperty(rllmMaps, fc.array(actions, { maxLength: 10 }), async (map, chosen) => {
      const distances = distancesToGoal(map);
      const nodes = await playNodes({ map }, chosen);
      const visited = new Set([nodes[0]!.observation.player]);
      for (const node of nodes.slice(1)) {
        const from = node.parent!.observation.player;
        const to = node.observation.player;
        const isNew = !visited.has(to);
        visited.add(to);
        if (isNew && distances[to]! >= 0 && distances[to]! < distances[from]!) {
          expect(score(node)).toBeGreaterThanOrEqual(score(node.parent!));
        }
        if (to === from) expect(score(node)).toBeLessThanOrEqual(score(node.parent!));
      }
    }),
  );
});

test("the shortest way scores higher with every move", async () => {
  await fc.assert(
    fc.asyncProperty(rllmMaps, async (map) => {
      const distances = distancesToGoal(map);
      const cols = map[0]!.length;
      let cell = map.join("").indexOf("S");
      const way: RllmAction[] = [];
      while (distances[cell] !== 0) {
        const options: [RllmAction, number][] = [
          ["left", cell % cols > 0 ? cell - 1 : -1],
          ["right", cell % cols < cols - 1 ? cell + 1 : -1],
          ["up", cell - cols],
          ["down", cell + cols],
        ];
        const [action, next] = options.find(([, to]) => distances[to] === distances[cell]! - 1)!;
        way.push(action);
        cell = next;
      }
      const values = (await playNodes({ map, maxTurns: way.length }, way)).map(score);
      for (let i = 1; i < values.length; i++) expect(values[i]).toBeGreaterThan(values[i - 1]!);
      expect(values.at(-1)).toBe(1);
    }),
  );
});
