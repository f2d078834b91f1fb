import { expect, test } from "vitest";
import type { Rng } from "../../../../core/rng.ts";
import { arpo } from "../../../../core/rollout/strategies/arpo.ts";
import type { BranchView } from "../../../../core/rollout/strategy.ts";
import type { Node } from "../../../../core/rollout/tree.ts";

/** A stream that says these numbers. */
function saying(...numbers: number[]): Rng {
  return {
    next: () => numbers.shift() ?? Number.NaN,
    below: () => 0,
    state: () => ({ c: 0, s0: 0, s1: 0, s2: 0 }),
  };
}

/** A branch whose choices had these entropies, `inherited` of them made by its parent. */
function branch(entropies: readonly number[], inherited = 0): BranchView {
  let node: Node<unknown, unknown> = { branch: "", turn: 0, observation: null, reward: 0, repeats: 0 };
  entropies.forEach((entropy, index) => {
    const owner = index < inherited ? "0" : "0.0";
    const choice = { action: "a", entropy };
    node = { parent: node, branch: owner, turn: index + 1, observation: null, choice, reward: 0, repeats: 1 };
  });
  return { path: "0.0", node };
}

test.each([
  ["u at the probability, entropy unchanged", [1, 1], 0.5, true],
  ["u just above it", [1, 1], 0.51, false],
  ["rising entropy helps: 0.6 - 0.2 * 0.5 = 0.5", [1, 1.5], 0.6, true],
  ["falling entropy hinders: 0.45 + 0.2 * 0.5 = 0.55", [1.5, 1], 0.45, false],
  ["q is cut at 0", [0, 9], 0.9, true],
])("splits by q = clip(u - w (H_now - H_init), 0, 1): %s", (_, entropies, u, splits) => {
  const routes = arpo().route!({ turn: 2, active: [branch(entropies)], leaves: 0 }, saying(u));
  expect(routes).toEqual([splits ? { kind: "expand", children: 1, keepParent: true } : { kind: "survive" }]);
});

test("a branch's baseline is its own first choice, not its parent's", () => {
  const [inherited, own] = [branch([0, 2, 2], 1), branch([0, 2, 2])];
  const kinds = [inherited, own].map(
    (view) => arpo().route!({ turn: 3, active: [view], leaves: 0 }, saying(0.7))[0]!.kind,
  );
  expect(kinds).toEqual(["survive", "expand"]);
});

test("an entropy that is no number is none: the rule is a coin", () => {
  const active = [branch([1, Number.NaN])];
  const kinds = [0.4, 0.6].map((u) => arpo().route!({ turn: 2, active, leaves: 0 }, saying(u))[0]!.kind);
  expect(kinds).toEqual(["survive", "survive"]);
});

test("no more leaves than the cap, whatever the draws", () => {
  const active = [branch([1]), branch([1]), branch([1])];
  const routes = arpo({ maxLeaves: 5, branches: 1 }).route!({ turn: 1, active, leaves: 1 }, saying(0, 0, 0));
  expect(routes.map(({ kind }) => kind)).toEqual(["expand", "survive", "survive"]);
});

test("a wider beam tries each child with its own draw", () => {
  const routes = arpo({ beam: 4, maxLeaves: 16 }).route!(
    { turn: 1, active: [branch([1])], leaves: 0 },
    saying(0.1, 0.9, 0.2),
  );
  expect(routes).toEqual([{ kind: "expand", children: 2, keepParent: true }]);
});

test("a short group is filled with fresh episodes, one at a time", () => {
  expect([arpo().topUp!(7), arpo().topUp!(8), arpo({ topUp: false }).topUp!(1)]).toEqual([1, 0, 0]);
});
