import fc from "fast-check";
import { expect, test } from "vitest";
import { Batcher } from "../../../agents/prm/batcher.ts";
import { handTimer } from "./lab.ts";

const forever = new AbortController().signal;

function doubling(most: number) {
  const timer = handTimer();
  const batches: { readonly items: readonly number[]; readonly signal: AbortSignal }[] = [];
  const batcher = new Batcher<number, number>({
    async run(items, signal) {
      batches.push({ items, signal });
      return items.map((item) => 2 * item);
    },
    most,
    windowMs: 5,
    schedule: timer.schedule,
  });
  return { batcher, batches, timer };
}

test("what is asked for within the window goes together", async () => {
  const { batcher, batches, timer } = doubling(10);
  const results = [1, 2, 3].map((item) => batcher.add(item, forever));
  expect(batches).toEqual([]);
  expect(timer.waits).toEqual([5]);
  timer.fire();
  expect(await Promise.all(results)).toEqual([2, 4, 6]);
  expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);
});

test("a full batch does not wait, and its timer sends nothing of the next", async () => {
  const { batcher, batches, timer } = doubling(2);
  const results = [1, 2, 3].map((item) => batcher.add(item, forever));
  expect(batches.map(({ items }) => items)).toEqual([[1, 2]]);
  timer.fireFirst();
  expect(batches).toHaveLength(1);
  timer.fire();
  expect(await Promise.all(results)).toEqual([2, 4, 6]);
});

test("every item gets its own result, however they are spread over batches", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer(), { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      async (items, most) => {
        const { batcher, batches, timer } = doubling(most);
        const results = items.map((item) => batcher.add(item, forever));
        timer.fire();
        expect(await Promise.all(results)).toEqual(items.map((item) => 2 * item));
        expect(batches.every(({ items: sent }) => sent.length >= 1 && sent.length <= most)).toBe(true);
      },
    ),
  );
});

test("a batch that fails fails for each of its items", async () => {
  const timer = handTimer();
  const run = () => Promise.reject(new Error("broken"));
  const batcher = new Batcher<number, number>({ run, most: 9, windowMs: 5, schedule: timer.schedule });
  const results = Promise.allSettled([batcher.add(1, forever), batcher.add(2, forever)]);
  timer.fire();
  expect((await results).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("an item that is aborted before it is sent is not sent", async () => {
  const { batcher, batches, timer } = doubling(9);
  const controller = new AbortController();
  const [gone, stays] = [batcher.add(1, controller.signal), batcher.add(2, forever)];
  controller.abort(new Error("enough"));
  await expect(gone).rejects.toThrow("enough");
  timer.fire();
  expect(await stays).toBe(4);
  expect(batches[0]!.items).toEqual([2]);
  await expect(batcher.add(3, controller.signal)).rejects.toThrow("enough");
});

test("a request is aborted once nobody waits for it any more", async () => {
  const timer = handTimer();
  let seen: AbortSignal | undefined;
  const batcher = new Batcher<number, number>({
    run: (_, signal) => {
      seen = signal;
      return new Promise(() => {});
    },
    most: 2,
    windowMs: 5,
    schedule: timer.schedule,
  });
  const [one, two] = [new AbortController(), new AbortController()];
  const results = Promise.allSettled([batcher.add(1, one.signal), batcher.add(2, two.signal)]);
  one.abort();
  await Promise.resolve();
  expect(seen!.aborted).toBe(false);
  two.abort();
  await results;
  expect(seen!.aborted).toBe(true);
});
