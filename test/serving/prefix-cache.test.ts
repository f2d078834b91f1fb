import fc from "fast-check";
import { expect, test } from "vitest";
import { PrefixCache } from "./prefix-cache.ts";

const range = (n: number, from = 0) => Array.from({ length: n }, (_, i) => from + i);
/** A request that runs alone: the prompt tokens that were cached. */
const once = (cache: PrefixCache, prompt: readonly number[], output: readonly number[] = [], salt = "") => {
  const hold = cache.hold(prompt, salt);
  hold.release(output);
  return hold.cachedTokens;
};

test("only full blocks are found again", () => {
  const cache = new PrefixCache(4, 100);
  expect(once(cache, range(10))).toBe(0);
  expect(once(cache, range(11))).toBe(8);
});

test("the last token of a prompt is always computed", () => {
  const cache = new PrefixCache(4, 100);
  once(cache, range(8));
  expect(once(cache, range(8))).toBe(4);
  expect(once(cache, range(9))).toBe(8);
});

test("a block is known only after the same blocks", () => {
  const cache = new PrefixCache(4, 100);
  once(cache, [1, 1, 1, 1, 9, 9, 9, 9]);
  expect(once(cache, [2, 2, 2, 2, 9, 9, 9, 9, 0])).toBe(0);
});

test("what a request generated is found by the next turn, but for the token that was never computed", () => {
  const cache = new PrefixCache(4, 100);
  once(cache, range(6), [100, 101]);
  expect(once(cache, [...range(6), 100, 101, 50])).toBe(4);
  const other = new PrefixCache(4, 100);
  once(other, range(6), [100, 101, 102]);
  expect(once(other, [...range(6), 100, 101, 50])).toBe(8);
});

test("requests that run at once share already", () => {
  const cache = new PrefixCache(4, 100);
  cache.hold(range(9), "");
  expect(cache.hold(range(9), "").cachedTokens).toBe(8);
});

test("another salt shares nothing, and a cleared cache neither", () => {
  const cache = new PrefixCache(4, 100);
  once(cache, range(9));
  expect(once(cache, range(9), [], "salt")).toBe(0);
  expect(once(cache, range(9))).toBe(8);
  cache.clear();
  expect(once(cache, range(9))).toBe(0);
});

test("the least recently used goes first, the end of a sequence before its beginning", () => {
  const cache = new PrefixCache(1, 4);
  once(cache, [1, 2, 3]);
  once(cache, [7, 8]);
  // Five blocks in room for four: the 3 is gone.
  expect(once(cache, [1, 2, 3, 0])).toBe(2);
});

test("what a running request holds stays", () => {
  const cache = new PrefixCache(1, 3);
  once(cache, [1, 2, 3]);
  const hold = cache.hold([1, 2, 3], "");
  for (let id = 10; id < 20; id++) once(cache, [id, id]);
  expect(cache.usage).toBe(1);
  expect(once(cache, [1, 2, 3, 0])).toBe(3);
  hold.release([]);
  for (let id = 10; id < 20; id++) once(cache, [id, id]);
  expect(once(cache, [1, 2, 3, 0])).toBe(0);
  expect(cache.usage).toBe(0);
});

test("with room for all, hits are the longest block-wise prefix of any earlier request", () => {
  const ids = fc.array(fc.nat(1), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(ids), ids, (before, prompt) => {
      const cache = new PrefixCache(2, 1000);
      for (const one of before) once(cache, one);
      const shared = (other: readonly number[]) => {
        let blocks = 0;
        const same = (at: number) => at < other.length && other[at] === prompt[at];
        while (same(blocks * 2) && same(blocks * 2 + 1)) blocks++;
        return Math.min(blocks, Math.floor((prompt.length - 1) / 2)) * 2;
      };
      expect(once(cache, prompt)).toBe(Math.max(0, ...before.map(shared)));
    }),
  );
});
