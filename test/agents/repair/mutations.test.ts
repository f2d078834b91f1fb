import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codeOf } from "../../../agents/repair/code.ts";
import { mutationsOf, PRIORS } from "../../../agents/repair/mutations.ts";
import { tokensOf } from "../../../agents/repair/tokens.ts";

/** Texts that the lines of `source` become by mutations of a kind. */
function mutants(kind: string, source: string, names: string[] = [], parameters = names): string[] {
  return mutationsOf(codeOf(source.split("\n"), parameters, names))
    .filter((mutation) => mutation.kind === kind)
    .map(({ after }) => after);
}

describe("mutationsOf", () => {
  test.each<[string, string, string[]]>([
    ["compare", "a < b", ["a <= b"]],
    ["flip", "a < b", ["a > b"]],
    ["compare", "a == b", ["a != b"]],
    ["flip", "a == b", ["a <= b", "a >= b"]],
    ["compare", "x in y", ["x not in y"]],
    ["compare", "x not in y", ["x in y"]],
    ["compare", "x is y", ["x is not y"]],
    ["compare", "x is not y", ["x is y"]],
    ["compare", "for x in y:", []],
    ["arithmetic", "a + b", ["a - b"]],
    ["arithmetic", "a // b", ["a / b", "a % b"]],
    ["arithmetic", "a[-1]", ["a[1]"]],
    ["arithmetic", "f(*a, **b)", []],
    ["arithmetic", "def f(a, *, b):", []],
    ["assign", "a += 1", ["a -= 1", "a = 1"]],
    ["assign", "a = b", ["a += b", "a -= b"]],
    ["assign", "f(a=b)", []],
    ["constant", "x = 10", ["x = 11", "x = 9"]],
    ["constant", "x-0", ["x-1", "x-(-1)"]],
    ["constant", "return True", ["return False"]],
    ["constant", "x = 1.5", []],
    ["logic", "a and b", ["a or b"]],
    ["twin", "min(a)", ["max(a)"]],
    ["twin", "a.lstrip()", ["a.rstrip()", "a.strip()"]],
    ["twin", "min = 1", []],
    ["bound", "range(n)", ["range(n - 1)", "range(n + 1)", "range(1, n)"]],
    ["bound", "range(a, b)", ["range(a, b - 1)", "range(a, b + 1)", "range(a - 1, b)", "range(a + 1, b)"]],
    ["bound", "len(x)", ["len(x) - 1", "len(x) + 1"]],
    ["bound", "len(x) - 1", ["len(x)"]],
    ["bound", "a[i:]", ["a[i - 1:]", "a[i + 1:]", "a[:]", "a[i:-1]"]],
    ["bound", "a[i]", ["a[i - 1]", "a[i + 1]"]],
    ["bound", "a['i']", []],
    ["bound", "a.pop()", ["a.pop(0)"]],
    ["bound", "n + 1", ["n"]],
    ["swap", "f(a, b)", ["f(b, a)"]],
    ["swap", "f(a, b, c)", ["f(b, a, c)", "f(a, c, b)"]],
    ["swap", "f(a, key=b)", []],
    ["swap", "def f(a, b):", []],
    ["swap", "x.a - b", ["b - x.a"]],
    ["argument", "f(a, b)", ["f(a)"]],
    ["argument", "sorted(a)", ["sorted(a, reverse=True)", "sorted()"]],
    ["get", "a[b]", ["a.get(b)", "a.get(b, 0)"]],
    ["get", "a[b] = 1", []],
    ["negate", "if a > b:", ["if not (a > b):"]],
    ["negate", "return not a", ["return a"]],
    ["none", "if not a:", ["if a is None:"]],
    ["none", "while a.b:", ["while a.b is not None:"]],
    ["none", "if a is not None:", ["if a:"]],
    ["none", "x = a or b", ["x = a if a is not None else b"]],
    ["drop", "if a and b:", ["if a:", "if b:"]],
    [
      "return",
      "return a",
      ["return (a) + 1", "return (a) - 1", "return -(a)", "return not (a)", "return None"],
    ],
    ["flow", "for x in y:\n    break", ["    continue", "    pass"]],
    ["flow", "elif a:", ["if a:"]],
    ["flow", "for x in y:\n    f(x)\n    return x", []],
    ["flow", "def f():\n    for x in y:\n        g(x)\n        return x", ["    return x"]],
    ["except", "except KeyError as e:", ["except Exception as e:"]],
    ["default", "def f(a=[]):\n    g(a)", ["def f(a=None):\n    a = [] if a is None else a"]],
    ["copy", "self.a = a", ["self.a = list(a)", "self.a = dict(a)"]],
    ["copy", "return self.a  # it", ["return list(self.a)  # it", "return dict(self.a)  # it"]],
  ])("%s: %s", (kind, source, expected) => {
    expect(mutants(kind, source)).toEqual(expected);
  });

  test("name: another variable of the function, or another attribute", () => {
    expect(mutants("name", "return a.b(c, d=e)", ["a", "c", "d", "e"])).toEqual([
      "return c.b(c, d=e)",
      "return d.b(c, d=e)",
      "return e.b(c, d=e)",
      "return a.b(a, d=e)",
      "return a.b(d, d=e)",
      "return a.b(e, d=e)",
      "return a.b(c, d=a)",
      "return a.b(c, d=c)",
      "return a.b(c, d=d)",
    ]);
    expect(mutants("name", "self.a = self.b + self.c()", ["self"])).toEqual([
      "self.b = self.b + self.c()",
      "self.a = self.a + self.c()",
    ]);
    expect(mutants("name", "def f(a, b):", ["a", "b"])).toEqual([]);
  });

  test("guard: parameters are checked before the first statement, behind the docstring", () => {
    const source = 'def f(self, a):\n    """Text."""\n    return a[0]';
    const guards = mutants("guard", source, ["self", "a"]);
    expect(guards).toHaveLength(12);
    expect(guards[0]).toBe("    if not a:\n        return a\n    return a[0]");
    expect(guards).toContain("    if a is None:\n        return []\n    return a[0]");
  });

  test("a bracket pair or statement over several lines is changed in one line or not at all", () => {
    expect(mutants("swap", "f(a,\n  b)")).toEqual([]);
    expect(mutants("compare", "f(a,\n  b < c)")).toEqual(["  b <= c)"]);
    expect(mutants("return", "return (a +\n  b)")).toEqual([]);
  });

  const names = ["a", "b", "count"];
  const line = fc
    .array(
      fc.constantFrom(
        ..."a b count if not and or in is return for while def f( g( ) [ ] : , = == < += + - * ** 1 0".split(
          " ",
        ),
        ..."len( range( . min( x pass break lambda #c None True except elif".split(" "),
        ...["'it a < b'", '"x and 1"', "# a < b or 'c"],
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join(" "));
  const source = fc.array(
    fc.tuple(fc.constantFrom("", "    ", "        "), line).map(([indent, text]) => indent + text),
    { minLength: 1, maxLength: 6 },
  );

  test("each changes one line and is there once, of a kind that has a prior", () => {
    fc.assert(
      fc.property(source, (lines) => {
        const found = mutationsOf(codeOf(lines, names, names));
        const texts = found.map(({ line, after }) => `${line}:${after}`);
        expect(new Set(texts).size).toBe(texts.length);
        for (const mutation of found) {
          expect(mutation.after).not.toBe(lines[mutation.line]);
          expect(PRIORS[mutation.kind]).toBeGreaterThan(0);
        }
      }),
    );
  });

  test("no string is changed and no comment is touched", () => {
    fc.assert(
      fc.property(source, (lines) => {
        for (const { line, after } of mutationsOf(codeOf(lines, names, names))) {
          const tokens = (texts: readonly string[], kind: string): string[] =>
            tokensOf(texts.join("\n"))
              .filter((token) => token.kind === kind)
              .map(({ text }) => text);
          const changed = lines.with(line, after);
          expect(tokens(changed, "comment")).toEqual(tokens(lines, "comment"));
          const before = new Set(tokens(lines, "string"));
          expect(tokens(changed, "string").filter((text) => !before.has(text))).toEqual([]);
        }
      }),
    );
  });

  test("text inside of a string over several lines is left alone", () => {
    expect(mutationsOf(codeOf(['x = """', "a < b and 1", '"""'])).filter(({ line }) => line > 0)).toEqual([]);
  });
});
