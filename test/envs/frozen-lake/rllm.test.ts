import fc from "fast-check";
import { expect, test } from "vitest";
import { EpisodeError, InputError, SnapshotError } from "../../../core/errors.ts";
import { type GymnasiumAction, GymnasiumFrozenLake } from "../../../envs/frozen-lake/gymnasium.ts";
import { MOVES } from "../../../envs/frozen-lake/lake.ts";
import { RllmFrozenLake } from "../../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../../envs/frozen-lake/rllm-rules.ts";
import { actions, rllmMaps, rows, seeds, taskOf } from "./lakes.ts";

const lake = taskOf<RllmLakeData>({ map: rows("FFSF/FHFF/FFFH/GHFF") });

async function started(task = lake, seed = 0): Promise<RllmFrozenLake> {
  const env = new RllmFrozenLake();
  await env.reset({ task, seed });
  return env;
}

async function play(env: RllmFrozenLake, chosen: readonly RllmAction[]) {
  const steps = [];
  for (const action of chosen) {
    steps.push(await env.step(action));
    if (steps.at(-1)!.end !== undefined) break;
  }
  return steps;
}

test("the way to the goal is worth 1 at its end", async () => {
  const env = new RllmFrozenLake();
  expect(await env.reset({ task: lake, seed: 7 })).toEqual({ map: lake.data.map, player: 2, turnsLeft: 10 });
  const steps = await play(env, ["down", "down", "left", "left", "down"]);
  expect(steps.map((step) => step.observation.player)).toEqual([6, 10, 9, 8, 12]);
  expect(steps.map((step) => step.reward)).toEqual([0, 0, 0, 0, 1]);
  expect(steps.map((step) => step.end)).toEqual([undefined, undefined, undefined, undefined, "success"]);
  expect(steps.at(-1)!.observation.turnsLeft).toBe(5);
});

test("a hole is a failure worth 0", async () => {
  const steps = await play(await started(), ["down", "left"]);
  expect(steps.at(-1)).toMatchObject({ reward: 0, end: "failure", info: { effective: true } });
});

test("an invalid action and a move over the edge spend a turn and move nothing", async () => {
  const env = await started();
  const idle: readonly RllmAction[] = ["invalid", "up", "jump" as RllmAction];
  for (const [i, action] of idle.entries()) {
    const step = await env.step(action);
    expect(step).toEqual({
      observation: { map: lake.data.map, player: 2, turnsLeft: 9 - i },
      reward: 0,
      info: { effective: false },
    });
  }
});

test("ten turns are the default limit, and a verdict on the last turn wins over it", async () => {
  const idle = await play(await started(), Array<RllmAction>(11).fill("invalid"));
  expect(idle.length).toBe(10);
  expect(idle.at(-1)).toMatchObject({ end: "turn-limit", reward: 0 });
  const task = taskOf<RllmLakeData>({ map: rows("SG"), maxTurns: 1 });
  expect((await play(await started(task), ["right"])).at(-1)).toMatchObject({ end: "success", reward: 1 });
});

test("views share the map and are fresh", async () => {
  const env = await started();
  const first = (await env.step("right")).observation;
  const second = (await env.step("invalid")).observation;
  expect(second.map).toBe(first.map);
  expect(second).not.toBe(first);
  expect(first.turnsLeft).toBe(9);
  expect((await env.fork(await env.snapshot()).then((fork) => fork.step("invalid"))).observation.map).toBe(
    first.map,
  );
});

test("a slippery lake slips as Gymnasium's does with the same seed", async () => {
  await fc.assert(
    fc.asyncProperty(rllmMaps, seeds, fc.array(actions, { maxLength: 10 }), async (map, seed, chosen) => {
      const peer = new GymnasiumFrozenLake();
      await peer.reset({ task: taskOf({ map }), seed });
      const env = await started(taskOf({ map, isSlippery: true }), seed);
      let cell = map.join("").indexOf("S");
      for (const action of chosen) {
        const step = await env.step(action);
        if (action !== "invalid") {
          cell = (await peer.step(MOVES.indexOf(action) as GymnasiumAction)).observation;
        }
        expect(step.observation.player).toBe(cell);
        if (step.end !== undefined) break;
      }
    }),
  );
});

test("a fork goes on as its parent, slippery or not, in this process and through JSON", async () => {
  await fc.assert(
    fc.asyncProperty(
      rllmMaps,
      seeds,
      fc.boolean(),
      fc.array(actions, { maxLength: 4 }),
      fc.array(actions, { minLength: 1, maxLength: 6 }),
      async (map, seed, isSlippery, before, after) => {
        const parent = await started(taskOf({ map, isSlippery }), seed);
        if ((await play(parent, before)).at(-1)?.end !== undefined) return;
        const snapshot = await parent.snapshot();
        const text = JSON.stringify(snapshot);
        const steps = await play(parent, after);
        const fresh = new RllmFrozenLake();
        expect(await play(await fresh.fork(snapshot), after)).toEqual(steps);
        expect(await play(await fresh.fork(JSON.parse(text)), after)).toEqual(steps);
        const noisy = await play(await fresh.fork(snapshot, { seed: 3 }), after);
        expect(await play(await fresh.fork(JSON.parse(text), { seed: 3 }), after)).toEqual(noisy);
        if (!isSlippery) expect(noisy).toEqual(steps);
        expect(JSON.stringify(snapshot)).toBe(text);
      },
    ),
  );
});

test("seeded forks of a slippery lake differ by their seed", async () => {
  const map = rows("FFFFF/FFFFF/FFSFF/FFFFF/FFFFG");
  const env = await started(taskOf({ map, isSlippery: true }), 1);
  const snapshot = await env.snapshot();
  const cells = new Set<number>();
  for (let seed = 0; seed < 20; seed++) {
    cells.add((await (await env.fork(snapshot, { seed })).step("up")).observation.player);
  }
  expect([...cells].sort((a, b) => a - b)).toEqual([7, 11, 13]);
});

test("out of turn is an EpisodeError that says why", async () => {
  const env = new RllmFrozenLake();
  await expect(env.step("up")).rejects.toThrow(/call reset first/);
  await expect(env.snapshot()).rejects.toThrow(EpisodeError);
  await env.reset({ task: taskOf({ map: rows("SG") }), seed: 0 });
  await env.step("right");
  await expect(env.step("right")).rejects.toThrow(/ended \(success\)/);
  const snapshot = await env.snapshot();
  await expect((await env.fork(snapshot)).step("up")).rejects.toThrow(EpisodeError);
  await env.close();
  await env.close();
  for (const call of [
    () => env.step("up"),
    () => env.snapshot(),
    () => env.fork(snapshot),
    () => env.release(snapshot),
    () => env.reset({ task: lake, seed: 0 }),
  ]) {
    await expect(call()).rejects.toThrow(/handle was closed/);
  }
});

test.each<[Partial<Record<keyof RllmLakeData, unknown>>, RegExp]>([
  [{ map: ["SSG"] }, /one S and one G, got 2 and 1/],
  [{ map: ["SFF"] }, /no goal/],
  [{ maxTurns: 0 }, /`maxTurns`/],
  [{ isSlippery: "no" }, /`isSlippery`/],
])("data with %j is refused", async (wrong, message) => {
  const task = taskOf({ map: rows("SG"), ...wrong } as RllmLakeData);
  await expect(started(task)).rejects.toThrow(InputError);
  await expect(started(task)).rejects.toThrow(message);
});

test("a released snapshot cannot be forked; its forks and its copies live on", async () => {
  const env = await started();
  const snapshot = await env.snapshot();
  const fork = await env.fork(snapshot);
  const copy = structuredClone(snapshot);
  await env.release(snapshot);
  await env.release(snapshot);
  await expect(env.fork(snapshot)).rejects.toThrow(SnapshotError);
  await fork.step("up");
  await (await env.fork(copy)).step("up");
});

test.each<[string, unknown]>([
  ["kind", "frozen-lake-v1"],
  ["data", 5],
  ["data", { map: ["SG"], maxTurns: -1 }],
  ["player", 99],
  ["turn", 11],
  ["end", "lost"],
  ["rng", null],
])("a snapshot whose %s is %j is a SnapshotError that names the field", async (field, value) => {
  const env = await started(taskOf({ ...lake.data, isSlippery: true }));
  const snapshot = { ...(await env.snapshot()), [field]: value } as never;
  await expect(env.fork(snapshot)).rejects.toThrow(SnapshotError);
  await expect(env.fork(snapshot)).rejects.toThrow(new RegExp(`\`${field}\``));
});

test("what is no snapshot at all is a SnapshotError", async () => {
  const env = await started();
  for (const value of [null, undefined, "x", []]) {
    await expect(env.fork(value as never)).rejects.toThrow(SnapshotError);
  }
});
