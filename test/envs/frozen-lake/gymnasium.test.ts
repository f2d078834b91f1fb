import fc from "fast-check";
import { expect, test } from "vitest";
import { EpisodeError, InputError, SnapshotError } from "../../../core/errors.ts";
import {
  type GymnasiumAction,
  GymnasiumFrozenLake,
  gymnasiumFlags,
} from "../../../envs/frozen-lake/gymnasium.ts";
import { GYMNASIUM_MAPS } from "../../../envs/frozen-lake/gymnasium-maps.ts";
import type { GymnasiumLakeData } from "../../../envs/frozen-lake/gymnasium-rules.ts";
import { gymnasiumMaps, rows, seeds, taskOf } from "./lakes.ts";

const small = taskOf<GymnasiumLakeData>({ map: GYMNASIUM_MAPS["4x4"] });
const dry = taskOf<GymnasiumLakeData>({ map: GYMNASIUM_MAPS["4x4"], isSlippery: false });
const moves = fc.constantFrom<GymnasiumAction>(0, 1, 2, 3);

async function started(task = small, seed = 42): Promise<GymnasiumFrozenLake> {
  const env = new GymnasiumFrozenLake();
  await env.reset({ task, seed });
  return env;
}

test.each([
  [42, [1, 1, 2, 1, 2, 2, 2, 1, 0, 0], undefined],
  [0, [4, 8, 8, 9, 10, 11], "failure"],
  [123, [4, 8, 8, 8, 9, 5], "failure"],
])("seed %s slips over the 4x4 map as in Gymnasium", async (seed, cells, end) => {
  const env = new GymnasiumFrozenLake();
  expect(await env.reset({ task: small, seed })).toBe(0);
  const steps = [];
  for (const action of [2, 2, 1, 1, 1, 2, 2, 1, 0, 3] as const) {
    const step = await env.step(action);
    steps.push(step);
    if (step.end !== undefined) break;
  }
  expect(steps.map((step) => step.observation)).toEqual(cells);
  expect(steps.at(-1)!.end).toBe(end);
  expect(steps.slice(0, -1).every((step) => !("end" in step))).toBe(true);
});

test("the slots have Gymnasium's probabilities, a side a hair more than a third", async () => {
  const env = await started();
  const probs = new Set<unknown>();
  for (let seed = 0; seed < 40; seed++) {
    await env.reset({ task: small, seed });
    probs.add((await env.step(0)).info?.prob);
  }
  expect(probs).toEqual(new Set([1 / 3, 0.33333333333333337]));
  const sure = await started(dry);
  expect((await sure.step(0)).info).toEqual({ prob: 1 });
});

test("goal, hole and ice give the rewards of the schedule", async () => {
  const map = rows("HSG/FFF");
  const task = taskOf<GymnasiumLakeData>({ map, isSlippery: false, rewardSchedule: [10, -5, 0.25] });
  const play = async (action: GymnasiumAction) => {
    const env = await started(task);
    const { observation, reward, end } = await env.step(action);
    return { observation, reward, end };
  };
  expect(await play(2)).toEqual({ observation: 2, reward: 10, end: "success" });
  expect(await play(0)).toEqual({ observation: 0, reward: -5, end: "failure" });
  expect(await play(1)).toEqual({ observation: 4, reward: 0.25, end: undefined });
});

test("the limit ends an episode, and a verdict on the last turn wins over it", async () => {
  const map = rows("SFG");
  const env = await started(taskOf({ map, isSlippery: false, maxTurns: 2 }));
  expect((await env.step(0)).end).toBeUndefined();
  expect((await env.step(0)).end).toBe("turn-limit");
  const winner = await started(taskOf({ map, isSlippery: false, maxTurns: 2 }));
  await winner.step(2);
  expect((await winner.step(2)).end).toBe("success");
});

test("the default limit is 100 turns", async () => {
  const env = await started(dry);
  for (let turn = 1; turn < 100; turn++) expect((await env.step(3)).end).toBeUndefined();
  expect((await env.step(3)).end).toBe("turn-limit");
});

test("starts are uniform over the S cells", async () => {
  const task = taskOf<GymnasiumLakeData>({ map: rows("SFS/FGS") });
  const env = new GymnasiumFrozenLake();
  const counts = new Map<number, number>();
  for (let seed = 0; seed < 3000; seed++) {
    const cell = await env.reset({ task, seed });
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual([0, 2, 5]);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(100);
});

test("end reasons become Gymnasium's booleans", () => {
  expect(gymnasiumFlags(undefined)).toEqual({ terminated: false, truncated: false });
  expect(gymnasiumFlags("success")).toEqual({ terminated: true, truncated: false });
  expect(gymnasiumFlags("failure", { taken: 3, max: 100 })).toEqual({ terminated: true, truncated: false });
  expect(gymnasiumFlags("failure", { taken: 100, max: 100 })).toEqual({ terminated: true, truncated: true });
  expect(gymnasiumFlags("turn-limit")).toEqual({ terminated: false, truncated: true });
  expect(gymnasiumFlags("time-limit")).toEqual({ terminated: false, truncated: true });
});

test("a draw above every cumulative probability takes the first slot, as numpy's argmax of all false", async () => {
  // With a success rate of 0.07 the probabilities add up to 1 - 2^-53, which is also the largest draw there is.
  const env = await started(taskOf({ map: rows("FFF/FSF/FFG"), successRate: 0.07 }));
  const mask = (1n << 128n) - 1n;
  const multiplier = 0x2360ed051fc65da44385df649fccf645n;
  let inverse = multiplier;
  for (let i = 0; i < 7; i++) inverse = (inverse * (2n - multiplier * inverse)) & mask;
  // The state before the one whose halves are each other's complement: the output is 64 ones.
  const ones = 0xffff_ffff_ffff_ffffn;
  const state = ((ones - 1n) * inverse) & mask;
  const words = [96n, 64n, 32n, 0n].map((by) => Number((state >> by) & 0xffff_ffffn));
  const rng = [...words, 0, 0, 0, 1, 0, 0];
  const fork = await env.fork({ ...(await env.snapshot()), rng });
  // Down is meant; the first slot is left.
  expect((await fork.step(1)).observation).toBe(3);
});

test("a fork goes on as its parent, a seeded fork on the seed alone", async () => {
  await fc.assert(
    fc.asyncProperty(
      gymnasiumMaps,
      seeds,
      fc.array(moves, { maxLength: 6 }),
      fc.array(moves, { minLength: 1, maxLength: 12 }),
      async (map, seed, before, after) => {
        const play = async (env: GymnasiumFrozenLake, chosen: readonly GymnasiumAction[]) => {
          const steps = [];
          for (const action of chosen) {
            steps.push(await env.step(action));
            if (steps.at(-1)!.end !== undefined) break;
          }
          return steps;
        };
        const parent = await started(taskOf({ map }), seed);
        if ((await play(parent, before)).at(-1)?.end !== undefined) return;
        const snapshot = await parent.snapshot();
        const text = JSON.stringify(snapshot);
        const steps = await play(parent, after);
        const fresh = new GymnasiumFrozenLake();
        expect(await play(await fresh.fork(snapshot), after)).toEqual(steps);
        expect(await play(await fresh.fork(JSON.parse(text)), after)).toEqual(steps);
        const noisy = await play(await parent.fork(snapshot, { seed: 9 }), after);
        expect(await play(await fresh.fork(JSON.parse(text), { seed: 9 }), after)).toEqual(noisy);
        expect(JSON.stringify(snapshot)).toBe(text);
      },
    ),
  );
});

test("a snapshot of the end forks into an ended episode", async () => {
  const env = await started(taskOf({ map: rows("SG"), isSlippery: false }));
  await env.step(2);
  const fork = await env.fork(await env.snapshot());
  await expect(fork.step(2)).rejects.toThrow(/ended \(success\)/);
});

test("steps and snapshots out of turn are EpisodeErrors that say why", async () => {
  const env = new GymnasiumFrozenLake();
  await expect(env.step(0)).rejects.toThrow(EpisodeError);
  await expect(env.snapshot()).rejects.toThrow(/call reset first/);
  await env.reset({ task: taskOf({ map: rows("SG"), isSlippery: false }), seed: 0 });
  const snapshot = await env.snapshot();
  await env.step(2);
  await expect(env.step(2)).rejects.toThrow(EpisodeError);
  await env.close();
  await env.close();
  const closed = [
    () => env.step(0),
    () => env.snapshot(),
    () => env.fork(snapshot),
    () => env.release(snapshot),
    () => env.reset({ task: small, seed: 0 }),
  ];
  for (const call of closed) await expect(call()).rejects.toThrow(/handle was closed/);
});

test.each([-1, 4, 1.5, "0", undefined, Number.NaN])(
  "action %s is refused and changes nothing",
  async (action) => {
    const env = await started();
    const before = await env.snapshot();
    await expect(env.step(action as GymnasiumAction)).rejects.toThrow(InputError);
    expect(await env.snapshot()).toEqual(before);
  },
);

test.each<[Partial<Record<keyof GymnasiumLakeData, unknown>>, RegExp]>([
  [{ map: ["SX"] }, /row 0 col 1/],
  [{ isSlippery: 1 }, /`isSlippery`/],
  [{ successRate: 1.5 }, /`successRate`/],
  [{ successRate: Number.NaN }, /`successRate`/],
  [{ maxTurns: 0 }, /`maxTurns`/],
  [{ rewardSchedule: [1, 0] }, /`rewardSchedule`/],
  [{ rewardSchedule: [1, 0, Number.POSITIVE_INFINITY] }, /`rewardSchedule`/],
])("data with %j is refused at reset, and the episode that ran goes on", async (wrong, message) => {
  const env = await started();
  const before = await env.snapshot();
  const task = taskOf({ map: rows("SG"), ...wrong } as GymnasiumLakeData);
  await expect(env.reset({ task, seed: 0 })).rejects.toThrow(InputError);
  await expect(env.reset({ task, seed: 0 })).rejects.toThrow(message);
  await expect(env.reset({ task: small, seed: -1 })).rejects.toThrow(/`seed`/);
  expect(await env.snapshot()).toEqual(before);
});

test("a released snapshot cannot be forked; its forks and its copies live on", async () => {
  const env = await started();
  const snapshot = await env.snapshot();
  const fork = await env.fork(snapshot);
  const copy = structuredClone(snapshot);
  await env.release(snapshot);
  await new GymnasiumFrozenLake().release(snapshot);
  await expect(env.fork(snapshot)).rejects.toThrow(SnapshotError);
  await expect(env.fork(snapshot)).rejects.toThrow(/released/);
  await fork.step(0);
  await (await env.fork(copy)).step(0);
});

test.each<[string, unknown]>([
  ["kind", "frozen-lake"],
  ["data", null],
  ["data", { map: ["SX"] }],
  ["data", {}],
  ["cell", 16],
  ["cell", -1],
  ["cell", "0"],
  ["turn", 101],
  ["turn", 0.5],
  ["end", "won"],
  ["end", undefined],
  ["rng", [1, 2]],
  ["rng", null],
])("a snapshot whose %s is %j is a SnapshotError that names the field", async (field, value) => {
  const env = await started();
  const snapshot = { ...(await env.snapshot()), [field]: value } as never;
  await expect(env.fork(snapshot)).rejects.toThrow(SnapshotError);
  await expect(env.fork(snapshot)).rejects.toThrow(new RegExp(`\`${field}\``));
});

test("a fork with a bad seed is an InputError", async () => {
  const env = await started();
  await expect(env.fork(await env.snapshot(), { seed: 0.5 })).rejects.toThrow(InputError);
});

test("a handle that is reset again plays what the task says now, also if the same object was changed", async () => {
  const data = { map: ["SFG"], isSlippery: false, maxTurns: 100 };
  const env = new GymnasiumFrozenLake();
  const ends = async () => {
    await env.reset({ task: { id: "changing", data }, seed: 1 });
    return [(await env.step(2)).end, (await env.step(2).catch(() => ({ end: "closed" }))).end];
  };
  expect(await ends()).toEqual([undefined, "success"]);
  data.maxTurns = 1;
  expect(await ends()).toEqual(["turn-limit", "closed"]);
  data.maxTurns = 100;
  data.map = ["SHG"];
  expect(await ends()).toEqual(["failure", "closed"]);
});
