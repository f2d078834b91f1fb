import fc from "fast-check";
import { expect, test } from "vitest";
import { Engine, type EngineCost } from "./engine.ts";
import { manualTimer } from "./manual-timer.ts";

function lab(cost: Partial<EngineCost> = {}) {
  const timer = manualTimer();
  const engine = new Engine({ slots: 2, msPerStep: 10, msPer1kPrefill: 0, ...cost }, timer);
  const ended: [string, number][] = [];
  const add = (name: string, tokens: number, prefill = 0) =>
    engine.add({ tokens, start: () => prefill, finish: () => ended.push([name, timer.now()]) });
  return { timer, engine, ended, add };
}

test("all running sequences get a token at each step", () => {
  const { timer, ended, add } = lab();
  add("short", 2);
  add("long", 5);
  timer.advance(100);
  // The second came just after the first step had begun.
  expect(ended).toEqual([
    ["short", 20],
    ["long", 60],
  ]);
});

test("more than there are slots wait, first come first served", () => {
  const { timer, engine, ended, add } = lab({ slots: 1 });
  for (const name of ["a", "b", "c"]) add(name, 3);
  expect([engine.running, engine.waiting]).toEqual([1, 2]);
  timer.advance(1000);
  expect(ended).toEqual([
    ["a", 30],
    ["b", 60],
    ["c", 90],
  ]);
});

test("a prompt to compute holds up all that run", () => {
  const { timer, ended, add } = lab({ msPer1kPrefill: 1000 });
  add("a", 4);
  timer.advance(5);
  add("b", 1, 100);
  timer.advance(1000);
  expect(ended).toEqual([
    ["b", 120],
    ["a", 140],
  ]);
});

test("without costs everything is done at once", () => {
  const { ended, add, engine } = lab({ msPerStep: 0, slots: 1 });
  add("a", 100);
  add("b", 100);
  expect(ended).toEqual([
    ["a", 0],
    ["b", 0],
  ]);
  expect(engine.generatedTokens).toBe(200);
});

test("who is called off frees the slot at the next step and never finishes", () => {
  const { timer, engine, ended, add } = lab({ slots: 1 });
  const cancel = add("a", 100);
  add("b", 1);
  const never = add("c", 1);
  timer.advance(15);
  cancel();
  never();
  timer.advance(15);
  expect(ended).toEqual([["b", 30]]);
  expect(engine.running + engine.waiting).toBe(0);
  expect(engine.generatedTokens).toBe(3);
});

test("late timers do not slow it down", () => {
  const { timer, ended, add } = lab({ slots: 1, msPerStep: 1 });
  for (let i = 0; i < 100; i++) add("x", 5);
  timer.advance(510, 8);
  expect(ended).toHaveLength(100);
});

test("nobody starts before having come, however late the timer", () => {
  const { timer, ended, add } = lab({ slots: 1 });
  add("a", 1);
  timer.advance(15, 8);
  add("b", 1);
  timer.advance(100);
  expect(ended).toEqual([
    ["a", 15],
    ["b", 25],
  ]);
});

test("busy time is what the sequences took, also in mid-step", () => {
  const { timer, engine, add } = lab();
  add("a", 4);
  timer.advance(15);
  expect(engine.busySlotMs).toBe(15);
  timer.advance(25);
  timer.advance(60);
  expect(engine.busySlotMs).toBe(40);
});

test("whoever comes whenever: all end, no step is lost, no slot is taken twice", () => {
  const arrivals = fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 8 }), fc.nat(50)), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 3 }), (jobs, slots) => {
      const { timer, engine, ended, add } = lab({ slots, msPer1kPrefill: 100 });
      for (const [wait, tokens, prefill] of jobs) {
        timer.advance(wait);
        add("x", tokens, prefill);
        expect(engine.running).toBeLessThanOrEqual(slots);
      }
      timer.advance(20_000);
      expect(ended).toHaveLength(jobs.length);
      expect(engine.generatedTokens).toBe(jobs.reduce((sum, [, tokens]) => sum + tokens, 0));
      expect(engine.busySlotMs).toBeGreaterThanOrEqual(engine.generatedTokens * 10);
      expect(engine.busySlotMs).toBeLessThanOrEqual(slots * Math.max(0, ...ended.map(([, at]) => at)) + 1e-9);
    }),
  );
});
