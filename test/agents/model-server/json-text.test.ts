import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "../../../agents/model-server/json-text.ts";

test("Python's numbers are read outside of strings only", () => {
  const text = '{"a":NaN,"b":[Infinity,-Infinity],"NaN":"NaN, -Infinity \\" NaN \\\\","c":-1}';
  expect(parseJson(text)).toEqual({
    a: null,
    b: [Infinity, -Infinity],
    NaN: 'NaN, -Infinity " NaN \\',
    c: -1,
  });
});

test.each(["", "{", "NaNs", "[NaN", '"open NaN', '{"a":+Infinity}', "[Infinity2]", "nan"])(
  "%j is no JSON",
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  },
);

test("any value comes back, with Python's numbers beside it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
      expect(parseJson(`[${text},NaN,-Infinity,${text}]`)).toEqual([
        JSON.parse(text),
        null,
        -Infinity,
        JSON.parse(text),
      ]);
    }),
  );
});

test("takes time linear in the text", () => {
  const started = performance.now();
  expect(parseJson(`["${'\\"'.repeat(2_000_000)}",NaN]`)).toHaveLength(2);
  expect(() => parseJson(`[${'"NaN",'.repeat(300_000)}`)).toThrow(SyntaxError);
  expect(performance.now() - started).toBeLessThan(10_000);
});
