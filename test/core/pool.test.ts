import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { forEachPooled } from "../../core/pool.ts";

/** Work that takes so many event-loop rounds, and the most of it that ever was under way at once. */
function counted(work: (item: number) => void = () => {}) {
  const seen = { begun: [] as number[], ended: [] as number[], most: 0 };
  return Object.assign(seen, {
    async run(rounds: number) {
      seen.begun.push(rounds);
      seen.most = Math.max(seen.most, seen.begun.length - seen.ended.length);
      for (let round = 0; round < rounds; round++) await setImmediate();
      seen.ended.push(rounds);
      work(rounds);
    },
  });
}

test("every item is done once, begun in order, and never more at once than allowed", async () => {
  const rounds = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(rounds, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (items, places, lazy) => {
      const pool = counted();
      await forEachPooled(lazy ? items.values() : items, places, (item) => pool.run(item));
      expect(pool.begun).toEqual(items);
      expect([...pool.ended].sort()).toEqual([...items].sort());
      expect(pool.most).toBe(Math.min(places, items.length));
    }),
  );
});

test("a place that comes free takes the next item", async () => {
  const pool = counted();
  await forEachPooled([9, 0, 1, 2], 2, (item) => pool.run(item));
  expect(pool.ended).toEqual([0, 1, 2, 9]);
});

test("the first error is the one that comes, once what was begun has ended, and nothing is begun after it", async () => {
  const pool = counted((item) => {
    if (item % 2 === 1) throw new Error(`item ${item}`);
  });
  await expect(forEachPooled([6, 1, 5, 2, 2], 3, (item) => pool.run(item))).rejects.toThrow("item 1");
  expect(pool.ended).toEqual([1, 5, 6]);
  expect(pool.begun).toEqual([6, 1, 5]);
});

test("work that throws at once is an error like any other", async () => {
  const fail = () => {
    throw new Error("at once");
  };
  await expect(forEachPooled([1, 2], 1, fail)).rejects.toThrow("at once");
});

test("items are asked for one at a time", async () => {
  let made = 0;
  function* items() {
    for (;;) yield made++;
  }
  const stop = forEachPooled(items(), 2, async (item) => {
    await setImmediate();
    if (item === 4) throw new Error("enough");
  });
  await expect(stop).rejects.toThrow("enough");
  expect(made).toBeLessThan(10);
});
