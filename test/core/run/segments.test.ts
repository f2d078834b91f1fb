import { describe, expect, test } from "vitest";
import type { Policy } from "../../../core/policy.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { arpo } from "../../../core/rollout/strategies/arpo.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { treeRandom } from "../../../core/rollout/strategies/tree-random.ts";
import { actionsOf, actionText, endingOf, type Segment, segmentsOf } from "../../../core/run/segments.ts";
import { type LineData, LineWorld } from "../../fakes/line-env.ts";
import { grown, lineTree } from "./trees.ts";

/** Branch, actions and ending of each segment, children indented. */
function outline(segments: readonly Segment[], indent = ""): string[] {
  return segments.flatMap((segment) => [
    `${indent}${segment.branch}: ${actionsOf(segment)}; ${endingOf(segment)}`,
    ...outline(segment.children, `${indent}  `),
  ]);
}

test("branches are cut where children start, and end in what a checkpoint or the leaf says", () => {
  expect(outline(segmentsOf(grown))).toEqual([
    "0: 0 1; score 0.90, expand",
    "  0.0: 2; success, reward 1",
    "  0.1: 0 0; failure, reward 0",
    "1: 2 2; score 0.10, prune, pruned-score, reward 0",
  ]);
});

test("a branch that goes on after a checkpoint is its own first child", () => {
  const tree = lineTree(["a", "b", "c"], { end: "turn-limit", reward: 0.12345 });
  const routings = [{ branch: "0", route: "survive" as const }];
  expect(outline(segmentsOf({ ...tree, checkpoints: [{ turn: 2, routings }] }))).toEqual([
    "0: a b; survive",
    "  0: c; turn-limit, reward 0.123",
  ]);
});

test("a branch that failed before its first turn is a segment without turns", () => {
  expect(outline(segmentsOf(lineTree([], { end: "error", error: "no fork" })))).toEqual([
    "0: ; error, no fork",
  ]);
});

describe("every turn is in one segment and every leaf in one, in grown trees", () => {
  const wander: Policy<LineData, string, string> = {
    name: "wander",
    act: ({ node, rng }) => ({
      action: rng.next() < 0.1 ? "win" : `${"abc"[rng.below(3)]}${node.turn}`,
      entropy: 1,
    }),
  };
  test.each([
    independent({ n: 3 }),
    patr({ every: 2, children: 3 }),
    patr({ every: 2, parent: "kept", alpha: 0.2 }),
    treeRandom({ every: 3 }),
    arpo(),
  ])("$name", async (strategy) => {
    const scorer = { name: "s", score: ({ node }: { node: { branch: string } }) => node.branch.length / 10 };
    for (let seed = 0; seed < 5; seed++) {
      const task = { id: "line/9", data: { length: 9 } };
      const tree = await rollout(task, { env: new LineWorld().make, policy: wander, strategy, scorer, seed });
      const segments: Segment[] = [];
      const collect = (all: readonly Segment[]) => {
        for (const segment of all) {
          segments.push(segment);
          collect(segment.children);
        }
      };
      collect(segmentsOf(tree));
      const turns = segments.flatMap(({ nodes }) => nodes);
      expect(new Set(turns)).toEqual(new Set(tree.nodes.slice(1)));
      expect(turns).toHaveLength(tree.nodes.length - 1);
      expect(
        segments
          .flatMap(({ leaf }) => leaf ?? [])
          .map(({ branch }) => branch)
          .sort(),
      ).toEqual(tree.leaves.map(({ branch }) => branch).sort());
      for (const { nodes, children } of segments) {
        for (const child of children) expect(child.nodes[0]?.parent ?? nodes.at(-1)).toBe(nodes.at(-1));
      }
    }
  });
});

test.each([
  ["left", "left"],
  ["", ""],
  ["ls -l", "ls -l"],
  ["a\nb", '"a\\nb"'],
  ["\u001b[31m", '"\\u001b[31m"'],
  [3, "3"],
  [null, "null"],
  [{ tool: "ls" }, '{"tool":"ls"}'],
])("an action is one line of text: %j", (action, text) => {
  expect(actionText(action)).toBe(text);
});
