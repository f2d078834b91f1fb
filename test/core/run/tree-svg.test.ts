import { expect, test } from "vitest";
import { rollout } from "../../../core/rollout/engine.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { treeSvg } from "../../../core/run/tree-svg.ts";
import { LineWorld } from "../../fakes/line-env.ts";
import { parseXml, type XmlElement } from "../../xml.ts";
import { grown, lineTree } from "./trees.ts";

/** Circles by class. */
function circles(elements: readonly XmlElement[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { name, attributes } of elements) {
    if (name === "circle") counts[attributes.class!] = (counts[attributes.class!] ?? 0) + 1;
  }
  return counts;
}

const titles = (elements: readonly XmlElement[]) =>
  elements.filter(({ name }) => name === "title").map(({ text }) => text);

test("a dot for each turn, a larger one for how each segment ended, a dashed line for each checkpoint", () => {
  const elements = parseXml(treeSvg(grown));
  expect(circles(elements)).toEqual({ turn: 7, expand: 1, success: 1, failure: 1, pruned: 1 });
  expect(elements.filter(({ attributes }) => attributes.class === "checkpoint")).toHaveLength(1);
  expect(titles(elements)).toContain("branch 0: 0 1; score 0.90, expand");
  expect(titles(elements)).toContain("tiny, seed 1: by-hand with tiny");
  const texts = elements.filter(({ name }) => name === "text").map(({ text }) => text);
  expect(texts).toEqual(
    expect.arrayContaining(["turn 2", "0.90", "0.0  success, reward 1", "0.1  failure, reward 0"]),
  );
});

test("each leaf has a row of its own, and everything is inside of the picture", () => {
  const elements = parseXml(treeSvg(grown));
  const svg = elements.at(-1)!.attributes;
  const dots = elements.filter(({ name }) => name === "circle").map(({ attributes }) => attributes);
  const ends = dots.filter((dot) => ["success", "failure", "pruned"].includes(dot.class!));
  expect(new Set(ends.map(({ cy }) => cy)).size).toBe(3);
  expect(svg.viewBox).toBe(`0 0 ${svg.width} ${svg.height}`);
  for (const { cx, cy } of dots) {
    expect(Number(cx)).toBeGreaterThan(0);
    expect(Number(cx)).toBeLessThan(Number(svg.width));
    expect(Number(cy)).toBeGreaterThan(0);
    expect(Number(cy)).toBeLessThan(Number(svg.height));
  }
});

test.each([
  [{ end: "success", reward: 1 }, "success"],
  [{ end: "turn-limit", reward: 0 }, "failure"],
  [{ end: "failure" }, "failure"],
  [{ end: "pruned-repeat", reward: 1 }, "pruned"],
  [{ end: "error", error: "x" }, "other"],
  [{ end: "aborted" }, "other"],
] as const)("the leaf %j is a dot of class %s", (leaf, kind) => {
  expect(circles(parseXml(treeSvg(lineTree(["a"], leaf))))).toEqual({ turn: 1, [kind]: 1 });
});

test("signs that XML reserves or cannot hold are escaped, wherever they come from", () => {
  const nasty = `<i>&amp;"'\u0000\u001b[1m\ud800\ufffe</i>`;
  const shown = `<i>&amp;"'\uFFFD\uFFFD[1m\uFFFD\uFFFD</i>`;
  const tree = lineTree([nasty, { cmd: nasty }], { end: "error", error: nasty });
  const svg = treeSvg({
    ...tree,
    task: { id: nasty, data: null },
    policy: nasty,
    strategy: { name: nasty, options: {} },
  });
  const elements = parseXml(svg);
  expect(titles(elements)[0]).toBe(`${shown}, seed 1: ${shown} with ${shown}`);
  expect(titles(elements).some((title) => title.includes(`error, ${shown}`))).toBe(true);
  expect(titles(elements)).toContain(`turn 1: ${JSON.stringify(nasty).replace("\ufffe", "\uFFFD")}`);
});

test("any grown tree is well-formed, one without a turn too", async () => {
  const scorer = { name: "s", score: () => 0.5 };
  const task = { id: "line/7", data: { length: 7 } };
  const policy = { name: "p", act: ({ node }: { node: { turn: number } }) => ({ action: `a<${node.turn}` }) };
  const tree = await rollout(task, {
    env: new LineWorld().make,
    policy,
    strategy: patr({ every: 2 }),
    scorer,
    seed: 1,
  });
  const elements = parseXml(treeSvg(tree));
  expect(circles(elements).turn).toBe(tree.nodes.length - 1);
  expect(circles(elements)).toMatchObject({ expand: 6 });
  expect(
    parseXml(treeSvg({ ...tree, nodes: [], branches: [], leaves: [], checkpoints: [] })).at(-1)!.name,
  ).toBe("svg");
});
