import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemTimer } from "../../../../agents/model-server/pool/timer.ts";
import { Wake } from "../../../../agents/model-server/pool/wake.ts";
import { VirtualTime } from "./virtual-time.ts";

function rung(): { wake: Wake; time: VirtualTime; rings: number[]; asked: number[] } {
  const time = new VirtualTime();
  const rings: number[] = [];
  const asked: number[] = [];
  const wake = new Wake(
    (ms, run) => {
      asked.push(ms);
      return time.timer(ms, run);
    },
    () => rings.push(time.now),
  );
  return { wake, time, rings, asked };
}

test("it rings by the earliest time that it was given, once", async () => {
  const { wake, time, rings } = rung();
  for (const at of [30, 10, 20]) wake.by(at, 0);
  expect(time.timers).toBe(1);
  await time.advance(100);
  expect(rings).toEqual([10]);
});

test("with nothing to wait for, nothing is set", () => {
  const { wake, time } = rung();
  wake.by(30, 0);
  wake.by(Number.POSITIVE_INFINITY, 0);
  expect(time.timers).toBe(0);
});

test("it does not spin: whole milliseconds, at least one", async () => {
  const { wake, time, asked } = rung();
  for (const [at, now] of [
    [10.2, 9.9],
    [5, 10],
  ] as const) {
    wake.by(at, now);
    await time.advance(10);
  }
  expect(asked).toEqual([1, 1]);
});

test("a wait that is longer than Node can count does not end at once", async () => {
  let rings = 0;
  const cancel = systemTimer(2 ** 31, () => {
    rings++;
  });
  await setTimeout(5);
  cancel();
  expect(rings).toBe(0);
});
