import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tokensOf } from "../../../agents/repair/tokens.ts";

const kinds = (source: string): string[] => tokensOf(source).map(({ kind, text }) => `${kind} ${text}`);

describe("tokensOf", () => {
  test.each([
    ["a <= b", ["name a", "operator <=", "name b"]],
    ["x**2//3", ["name x", "operator **", "number 2", "operator //", "number 3"]],
    ["1_000 0x1F 1.5e-3 .5 2j", ["number 1_000", "number 0x1F", "number 1.5e-3", "number .5", "number 2j"]],
    ["f'a{b}' + rb\"c\"", ["string f'a{b}'", "operator +", 'string rb"c"']],
    ["'it\\'s' # not 'this'", ["string 'it\\'s'", "comment # not 'this'"]],
    ['"""a\n"b" # c\n""" + 1', ['string """a\n"b" # c\n"""', "operator +", "number 1"]],
    ["r'\\' + 1", ["string r'\\' + 1"]],
    ["'open\nx", ["string 'open", "name x"]],
    ["before", ["name before"]],
    ["größe + ñ", ["name größe", "operator +", "name ñ"]],
    ["a \\\n + b", ["name a", "operator +", "name b"]],
    ["x: int = ...", ["name x", "operator :", "name int", "operator =", "operator ..."]],
  ])("splits %j", (source, expected) => {
    expect(kinds(source)).toEqual(expected);
  });

  test("knows each token's line and how many brackets are open around it", () => {
    const tokens = tokensOf("f(\n  [a],\n)\nb");
    expect(tokens.map(({ text, line, depth }) => [text, line, depth])).toEqual([
      ["f", 0, 0],
      ["(", 0, 0],
      ["[", 1, 1],
      ["a", 1, 2],
      ["]", 1, 1],
      [",", 1, 1],
      [")", 2, 0],
      ["b", 3, 0],
    ]);
  });

  test("loses nothing but white space, in order, whatever the text", () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .array(
          fc.constantFrom(
            "a",
            "if",
            " ",
            "\n",
            "'",
            '"',
            '"""',
            "#",
            "\\",
            "(",
            ")",
            "<=",
            "1",
            ".5",
            "\\\n",
          ),
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (source) => {
        let at = 0;
        for (const token of tokensOf(source)) {
          expect(source.slice(at, token.start)).toMatch(/^(\s|\\\n)*$/);
          expect(source.slice(token.start, token.end)).toBe(token.text);
          expect(token.line).toBe(source.slice(0, token.start).split("\n").length - 1);
          expect(token.end).toBeGreaterThan(token.start);
          at = token.end;
        }
        expect(source.slice(at)).toMatch(/^(\s|\\\n)*$/);
      }),
    );
  });
});
