import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { median, type PatrOptions, patr } from "../../../../core/rollout/strategies/patr.ts";
import { views } from "./views.ts";

/** One letter per active branch: e(xpand), s(urvive), p(rune); with the number of children if it is not 2. */
function routed(options: PatrOptions, scores: readonly (number | undefined)[], leaves = 0): string {
  const strategy = patr(options);
  const never = { next: () => 1, below: () => 0, state: () => ({ c: 0, s0: 0, s1: 0, s2: 0 }) };
  const routes = strategy.route!({ turn: 5, active: views(scores), leaves }, never);
  return routes
    .map((route) => (route.kind === "expand" && route.children !== 2 ? `e${route.children}` : route.kind[0]))
    .join(" ");
}

describe("routing at a checkpoint", () => {
  const table: [string, PatrOptions, (number | undefined)[], string][] = [
    ["the best two are expanded, the rest survive", {}, [0.2, 0.4, 0.3, 0.1], "s e e s"],
    ["ties go to the earlier node", {}, [0.5, 0.5, 0.5, 0.5], "e e s s"],
    ["a tie for the last place too", { top: 1 }, [0.3, 0.7, 0.7], "s e s"],
    ["fewer active than k: all are expanded", {}, [0.3], "e"],
    ["a low score alone is no reason to prune a single branch", {}, [0], "e"],
    ["k = 0 expands nothing", { top: 0 }, [0.9, 0.1], "s s"],
    ["odd median: 0.9; 0.3 lies more than 0.5 below", {}, [0.9, 0.3, 1], "e p e"],
    ["even median: (0.8 + 1) / 2 = 0.9; 0.3 is pruned, 0.8 is not", {}, [0.8, 0.3, 1, 1], "s p e e"],
    ["even median: (0.2 + 0.9) / 2 = 0.55; 0.1 stays", {}, [0.2, 0.1, 0.9, 1], "s s e e"],
    ["exactly alpha below is not below it", {}, [0.4, 0.9, 1], "s e e"],
    ["nor where floating point would say so: 0.8 - 0.5 > 0.3", {}, [0.3, 0.8, 0.9], "s e e"],
    ["a hair more than alpha below is", {}, [0.3999, 0.9, 1], "p e e"],
    ["pruned branches count in the median", {}, [0, 0.6, 0.6], "p e e"],
    ["the rest may be fewer than k", { top: 3 }, [0, 0.6, 0.7], "p e e"],
    ["alpha = 0 prunes what is below the median", { alpha: 0 }, [0.5, 0.4, 0.6], "e p e"],
    ["alpha = 1 prunes nothing", { alpha: 1 }, [1, 0, 1], "e s e"],
    ["M = 3", { children: 3, top: 1 }, [0.1, 0.2], "s e3"],
    ["no score: neither expanded nor pruned, nor in the median", {}, [undefined, 0.4, undefined], "s e s"],
    ["no score at all: everything survives", {}, [undefined, undefined], "s s"],
  ];
  test.each(table)("%s", (_, options, scores, expected) => {
    expect(routed(options, scores)).toBe(expected);
  });

  test("a cap on leaves is filled best first, with fewer children at the last", () => {
    expect(routed({ maxLeaves: 6 }, [0.1, 0.2, 0.3, 0.4], 0)).toBe("s s e e");
    expect(routed({ maxLeaves: 6 }, [0.1, 0.2, 0.3, 0.4], 1)).toBe("s s s e");
    expect(routed({ maxLeaves: 6 }, [0.1, 0.2, 0.3, 0.4], 2)).toBe("s s s s");
    expect(routed({ maxLeaves: 8, children: 4 }, [0.3, 0.4, 0.1], 1)).toBe("e e4 s");
  });

  test("a kept parent goes on beside M children", () => {
    const { route } = patr({ parent: "kept", top: 1 });
    const rng = { next: () => 0, below: () => 0, state: () => ({ c: 0, s0: 0, s1: 0, s2: 0 }) };
    expect(route!({ turn: 5, active: views([0.1, 0.2]), leaves: 0 }, rng)).toEqual([
      { kind: "survive" },
      { kind: "expand", children: 2, keepParent: true },
    ]);
  });
});

test("a branch is stuck after Theta identical actions in a row, not before", () => {
  const { stuck } = patr({ theta: 6 });
  const [at5, at6] = [views([0.5], { repeats: 5 })[0]!, views([0.5], { repeats: 6 })[0]!];
  expect([stuck!(at5), stuck!(at6)]).toEqual([false, true]);
});

test("whatever the scores: at most k expansions, none of a branch worse than a survivor, and the cap holds", () => {
  const score = fc.option(
    fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
    { nil: undefined },
  );
  const numbers = fc.record({
    scores: fc.array(score, { minLength: 1, maxLength: 9 }),
    top: fc.nat({ max: 4 }),
    children: fc.integer({ min: 2, max: 4 }),
    leaves: fc.nat({ max: 9 }),
    spare: fc.nat({ max: 9 }),
  });
  fc.assert(
    fc.property(numbers, ({ scores, top, children, leaves, spare }) => {
      const maxLeaves = scores.length + leaves + spare;
      const never = { next: () => 1, below: () => 0, state: () => ({ c: 0, s0: 0, s1: 0, s2: 0 }) };
      const routes = patr({ branches: 1, top, children, maxLeaves }).route!(
        { turn: 5, active: views(scores), leaves },
        never,
      );
      const grown = routes.filter(({ kind }) => kind === "expand");
      expect(grown.length).toBeLessThanOrEqual(top);
      const added = routes.reduce(
        (sum, route) => sum + (route.kind === "expand" ? route.children - 1 : 0),
        0,
      );
      expect(added).toBeLessThanOrEqual(spare);
      const of = (wanted: string) => scores.filter((_, index) => routes[index]!.kind === wanted);
      const survivors = of("survive").filter((value) => value !== undefined);
      if (grown.length > 0)
        expect(Math.min(...of("expand").map(Number))).toBeGreaterThanOrEqual(Math.max(0, ...survivors));
      for (const low of of("prune"))
        expect(Number(low)).toBeLessThan(Math.max(...scores.map((s) => s ?? 0)) - 0.49);
    }),
  );
});

test("the median of an even number of values is the mean of the middle two", () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([7])]).toEqual([2, 2.5, 7]);
});

test.each([
  [{ branches: 0 }, "patr: expected `branches` to be a whole number from 1 up, got 0"],
  [{ maxLeaves: 3 }, "patr: expected `maxLeaves` to be a whole number from 4 up, got 3"],
  [{ children: 1 }, "patr: expected `children` to be a whole number from 2 up, got 1"],
  [{ every: 2.5 }, "patr: expected `every` to be a whole number from 1 up, got 2.5"],
  [{ alpha: 1.5 }, "patr: expected `alpha` to be a number from 0 to 1, got 1.5"],
  [{ alpha: Number.NaN }, "patr: expected `alpha` to be a number from 0 to 1, got NaN"],
  [{ parent: "gone" as never }, "patr: expected `parent` to be one of replaced, kept, got gone"],
])("bad options are named: %o", (options, message) => {
  expect(() => patr(options)).toThrow(message);
});
