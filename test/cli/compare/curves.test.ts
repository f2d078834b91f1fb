import { expect, test } from "vitest";
import { curvesSvg } from "../../../cli/compare/curves.ts";
import { frozenLakeRegimes } from "../../../cli/compare/regimes.ts";
import { rowsOf } from "../../../cli/compare/stats.ts";
import { parseXml } from "../../xml.ts";
import { cell, tinyRegime } from "./cells.ts";

const cells = [
  cell({ seed: 0 }, [0.5], { mixed: [0.2, 0.4, 0.8] }),
  cell({ seed: 1 }, [0.5], { mixed: [0.4, 0.6, 1] }),
  cell({ method: "patr", setting: "k=2 M=3" }, [0.5], { mixed: [0, 0.5, 0.5] }),
  cell({ method: "patr", setting: "k=1 M=4" }, [0.5], { mixed: [0, 0.5, 0.5] }),
];

/** Lines of the four panels, as points. */
function lines(svg: string) {
  return parseXml(svg)
    .filter(({ name }) => name === "polyline")
    .map(({ attributes }) => attributes.points!.split(" ").map((point) => point.split(",").map(Number)));
}

test("four panels with a line per row, and a legend that tells rows apart", () => {
  const svg = curvesSvg(tinyRegime, rowsOf(cells));
  const elements = parseXml(svg);
  const texts = elements.filter(({ name }) => name === "text").map(({ text }) => text);
  expect(elements.at(-1)!.name).toBe("svg");
  expect(lines(svg)).toHaveLength(4 * 3);
  expect(texts).toEqual(
    expect.arrayContaining([
      "Tiny",
      "Success of the leaves in training",
      "Groups with mixed outcomes",
      "Entropy of a choice (nats)",
      "Turns of a leaf",
      "grpo n=2",
      "patr k=2 M=3",
      "patr k=1 M=4",
    ]),
  );
  const styles = elements
    .filter(({ name }) => name === "polyline")
    .map(({ attributes }) => `${attributes.stroke} ${attributes["stroke-dasharray"]}`);
  expect(new Set(styles).size).toBe(3);
  const colours = styles.slice(0, 3).map((style) => style.split(" ")[0]);
  expect(colours[1]).toBe(colours[2]);
  expect(colours[0]).not.toBe(colours[1]);
});

test("a line is the mean over seeds, higher values further up, and inside of its panel", () => {
  const mixed = lines(curvesSvg(tinyRegime, rowsOf(cells)))[3]!;
  // Means 0.3, 0.5 and 0.9 at equal distances in env steps: the second step is twice as high as the first.
  const [a, b, c] = mixed as [number[], number[], number[]];
  expect(b[0]! - a[0]!).toBeCloseTo(c[0]! - b[0]!, 0);
  expect((a[1]! - b[1]!) * 2).toBeCloseTo(b[1]! - c[1]!, 0);
  for (const [x, y] of lines(curvesSvg(tinyRegime, rowsOf(cells))).flat()) {
    expect(x).toBeGreaterThanOrEqual(46);
    expect(x).toBeLessThanOrEqual(430);
    expect(y).toBeGreaterThanOrEqual(30);
    expect(y).toBeLessThanOrEqual(240);
  }
});

test("curves of zeros, of one point and of nothing are well-formed too", () => {
  const flat = cell({}, [0], { mixed: [0] });
  const zero = { ...flat, curve: flat.curve.map((point) => ({ ...point, entropy: 0, turns: 0 })) };
  for (const line of lines(curvesSvg(tinyRegime, rowsOf([zero])))) {
    expect(line).toHaveLength(1);
    expect(line[0]!.every(Number.isFinite)).toBe(true);
  }
  expect(lines(curvesSvg(tinyRegime, []))).toEqual([]);
});

test("the titles of the regimes there are need no escaping", () => {
  for (const regime of frozenLakeRegimes) {
    const titles = parseXml(curvesSvg(regime, rowsOf(cells))).filter(({ name }) => name === "title");
    expect(titles.map(({ text }) => text)).toEqual([regime.title]);
  }
});
