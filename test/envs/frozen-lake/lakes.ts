import fc from "fast-check";
import type { Node } from "../../../core/rollout/tree.ts";
import type { Task } from "../../../core/task.ts";
import { generateRandomMap } from "../../../envs/frozen-lake/gymnasium-maps.ts";
import type { LakeMap } from "../../../envs/frozen-lake/lake.ts";
import { drawRllmMap } from "../../../envs/frozen-lake/maps.ts";
import { type LakeView, RllmFrozenLake } from "../../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../../envs/frozen-lake/rllm-rules.ts";

/** A map from its rows joined by "/". */
export const rows = (text: string): LakeMap => text.split("/");

export const taskOf = <Data>(data: Data): Task<Data> => ({ id: "t", data });

export const seeds: fc.Arbitrary<number> = fc.maxSafeNat();

export const actions: fc.Arbitrary<RllmAction> = fc.constantFrom("left", "down", "right", "up", "invalid");

export const rllmMaps: fc.Arbitrary<LakeMap> = fc
  .record({
    seed: seeds,
    size: fc.integer({ min: 2, max: 9 }),
    p: fc.double({ min: 0.5, max: 1, noNaN: true }),
  })
  .map(drawRllmMap);

export const gymnasiumMaps: fc.Arbitrary<LakeMap> = fc
  .record({
    seed: seeds,
    size: fc.integer({ min: 2, max: 9 }),
    p: fc.double({ min: 0.6, max: 1, noNaN: true }),
  })
  .map(generateRandomMap);

/** Plays `chosen` until the end and returns the nodes, the root first. */
export async function playNodes(
  data: RllmLakeData,
  chosen: readonly RllmAction[],
  seed = 0,
): Promise<Node<LakeView, RllmAction>[]> {
  const env = new RllmFrozenLake();
  const observation = await env.reset({ task: taskOf(data), seed });
  const nodes: Node<LakeView, RllmAction>[] = [{ branch: "", turn: 0, observation, reward: 0, repeats: 0 }];
  for (const action of chosen) {
    const parent = nodes.at(-1)!;
    if (parent.end !== undefined) break;
    const step = await env.step(action);
    nodes.push({ parent, branch: "0", turn: parent.turn + 1, choice: { action }, repeats: 1, ...step });
  }
  return nodes;
}
