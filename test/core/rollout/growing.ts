import { expect } from "vitest";
import type { Policy } from "../../../core/policy.ts";
import { type RolloutOptions, rollout } from "../../../core/rollout/engine.ts";
import type { Strategy } from "../../../core/rollout/strategy.ts";
import type { Tree } from "../../../core/rollout/tree.ts";
import type { Scorer } from "../../../core/scorer.ts";
import type { Task } from "../../../core/task.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";

type Options = RolloutOptions<LineData, string, string>;
export type LineTree = Tree<LineData, string, string>;

export function task(length: number): Task<LineData> {
  return { id: `line/${length}`, data: { length } };
}

/** Never the same action twice in a row. */
export const wander: Policy<LineData, string, string> = {
  name: "wander",
  act: ({ node, rng }) => ({ action: `${"abc"[rng.below(3)]}${node.turn}` }),
};

/** Prefers the later branch. */
export const byPath: Scorer<LineData, string, string> = {
  name: "by path",
  score: ({ node }) => (1 + Number(node.branch.at(-1))) / 10,
};

export function grow(
  length: number,
  options: Partial<Options> & { strategy: Strategy },
): Promise<LineTree> & { world: LineWorld } {
  const world = new LineWorld();
  const base = { env: world.make, policy: wander, scorer: byPath, seed: 1 };
  return Object.assign(rollout(task(length), { ...base, ...options }), { world });
}

/** Everything but the seconds. */
export function essence({ budget, ...tree }: LineTree): unknown {
  const { seconds, ...counts } = budget;
  expect(seconds).toBeGreaterThanOrEqual(0);
  return { ...tree, counts };
}

export function expectClosed(world: LineWorld): void {
  expect(world.opened - world.closed).toBe(0);
  expect(world.held).toBe(0);
}
