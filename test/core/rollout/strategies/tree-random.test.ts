import { expect, test } from "vitest";
import { createRng } from "../../../../core/rng.ts";
import { treeRandom } from "../../../../core/rollout/strategies/tree-random.ts";
import { views } from "./views.ts";

test("k branches are expanded, each as often as any other, and nothing is pruned", () => {
  const { route } = treeRandom({ top: 2 });
  const rng = createRng(1);
  const counts = [0, 0, 0, 0];
  for (let round = 0; round < 2000; round++) {
    const routes = route!({ turn: 5, active: views([0, 0, 1, 1]), leaves: 0 }, rng);
    expect(routes.filter(({ kind }) => kind === "expand")).toHaveLength(2);
    expect(routes.some(({ kind }) => kind === "prune")).toBe(false);
    routes.forEach(({ kind }, index) => {
      if (kind === "expand") counts[index]!++;
    });
  }
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(100);
});

test("the same stream gives the same choice", () => {
  const view = { turn: 5, active: views([0.1, 0.2, 0.3, 0.4, 0.5]), leaves: 0 };
  const routes = [1, 1, 2].map((seed) => treeRandom().route!(view, createRng(seed)));
  expect(routes[0]).toEqual(routes[1]);
  expect(routes[0]).not.toEqual(routes[2]);
});

test("a cap on leaves holds", () => {
  const routes = treeRandom({ maxLeaves: 5 }).route!(
    { turn: 5, active: views([1, 1, 1]), leaves: 1 },
    createRng(1),
  );
  expect(routes.filter(({ kind }) => kind === "expand")).toHaveLength(1);
});

test("a cap below the initial branches is refused", () => {
  expect(() => treeRandom({ branches: 6, maxLeaves: 5 })).toThrow(
    "treeRandom: expected `maxLeaves` to be a whole number from 6 up, got 5",
  );
});

test("loops are stopped unless theta is null", () => {
  const [branch] = views([0], { repeats: 6 });
  expect([treeRandom().stuck!(branch!), treeRandom({ theta: null }).stuck!(branch!)]).toEqual([true, false]);
});
