import fc from "fast-check";
import { expect, test } from "vitest";
import { Regex } from "../../../../../core/sandbox/wasmer/gnu/regex.ts";

const found = (pattern: string, text: string, extended = true): string | undefined =>
  new Regex(pattern, { extended }).exec(text, 0)?.[0];

test.each([
  ["a|ab", "abc", "ab"],
  ["(a|ab)(c|bcd)", "abcd", "abcd"],
  ["a*(ab)?", "aab", "aab"],
  ["(foo|foobar)$", "foobar", "foobar"],
  ["\\b(a|ab)\\b", "ab a", "ab"],
])("of the matches of %s in %s the longest is taken", (pattern, text, expected) => {
  expect(found(pattern, text)).toBe(expected);
});

test("a choice of texts finds the longest that is there, in whatever order they stand", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 4 }),
      fc.string({ unit: fc.constantFrom("a", "b", "c") }),
      (words, text) => {
        const starts = [...text]
          .map((_, at) => at)
          .filter((at) => words.some((each) => text.startsWith(each, at)));
        const at = starts[0];
        const longest = words
          .filter((each) => at !== undefined && text.startsWith(each, at))
          .sort((a, b) => b.length - a.length)[0];
        expect(found(words.join("|"), text)).toBe(longest);
        expect(found(words.join("\\|"), text, false)).toBe(longest);
      },
    ),
  );
});
