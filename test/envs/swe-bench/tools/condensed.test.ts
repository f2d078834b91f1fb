import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gapsOf } from "../../../../envs/swe-bench/tools/condensed.ts";

const body = (indent: string, count: number) => Array.from({ length: count }, (_, n) => `${indent}x = ${n}`);

describe("a condensed view leaves out", () => {
  test.each([
    ["a body of four lines", ["def f():", ...body("  ", 4), "y = 1"], [{ first: 1, last: 4 }]],
    ["no body of three", ["def f():", ...body("  ", 3), "y = 1"], []],
    ["a body at the end of the file", ["def f():", ...body("  ", 5)], [{ first: 1, last: 5 }]],
    ["the body of an async function", ["async  def f():", ...body("\t", 4)], [{ first: 1, last: 4 }]],
    [
      "a method, not the class around it",
      ["class A:", "  z = 1", "  def f(self):", ...body("    ", 4), "  def g(self): return 1"],
      [{ first: 3, last: 6 }],
    ],
    [
      "a body after a header of several lines",
      ["def f(", "    a,", "):", ...body("  ", 4)],
      [{ first: 3, last: 6 }],
    ],
    [
      "a nested function with the body around it",
      ["def f():", "  def g():", ...body("    ", 4), "  return g", "y = 1"],
      [{ first: 1, last: 6 }],
    ],
    [
      "a text that is not indented, in a body",
      ["def f():", '  s = """', "def not_one():", "text", '"""', "  return s"],
      [{ first: 1, last: 5 }],
    ],
    [
      "no blank lines and comments after a body",
      ["def f():", ...body("  ", 4), "", "# about y", "y = 1"],
      [{ first: 1, last: 4 }],
    ],
    [
      "the inside of a long docstring of a class",
      ["class A:", '  """One.', "  a", "  b", "  c", '  """', "  x = 1"],
      [{ first: 2, last: 4 }],
    ],
    ["no short docstring", ["class A:", '  """One.', "  a", '  """', "  x = 1"], []],
    ["no words that only begin so", ["define = 1", "if define:", ...body("  ", 5)], []],
    ["nothing inside of a bracket that never closes", ["x = (", "def f():", ...body("  ", 9)], []],
    [
      "a body with quotes and hashes in strings",
      ["def f():", "  a = '#\\''", "  b = \"'''\"", "  c = 1 # (it's", "  '", "y = 1"],
      [{ first: 1, last: 4 }],
    ],
  ])("%s", (_, lines, gaps) => {
    expect(gapsOf(lines)).toEqual(gaps);
  });

  test("whatever the text, gaps ascend and lie in it", () => {
    const line = fc
      .array(fc.constantFrom("def f():", "class A:", " ", "  ", '"""', "'", "(", ")", "#", "\\", "x"), {
        maxLength: 4,
      })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        let next = 0;
        for (const { first, last } of gapsOf(lines)) {
          expect(first).toBeGreaterThanOrEqual(next);
          expect(last).toBeGreaterThanOrEqual(first);
          next = last + 1;
        }
        expect(next).toBeLessThanOrEqual(lines.length);
      }),
      { numRuns: 1000 },
    );
  });
});
