import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, sha256 } from "../../core/json.ts";
import { sameAction } from "../../core/rollout/tree.ts";

test("equal values give equal text, whatever the order of their keys", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("undefined fields are left out", () => {
  expect(canonicalJson({ b: undefined, a: [{ d: 1, c: 2 }] })).toBe('{"a":[{"c":2,"d":1}]}');
});

test("SHA-256 of the empty text", () => {
  expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

test.each([
  ["a", "a", true],
  ["a", "b", false],
  [1, "1", false],
  [{ tool: "bash", cmd: "ls" }, { cmd: "ls", tool: "bash" }, true],
  [{ tool: "bash" }, { tool: "find" }, false],
  [null, {}, false],
])("the action %o is %o again: %o", (a, b, same) => {
  expect(sameAction(a, b)).toBe(same);
});
