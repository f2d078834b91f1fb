import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type GymnasiumAction,
  GymnasiumFrozenLake,
  gymnasiumFlags,
} from "../../envs/frozen-lake/gymnasium.ts";
import { generateRandomMap } from "../../envs/frozen-lake/gymnasium-maps.ts";
import { hardSets } from "../../envs/frozen-lake/hard-sets.ts";
import { Pcg64 } from "../../envs/frozen-lake/numpy/pcg64.ts";
import { rllmRows } from "../../envs/frozen-lake/rllm-sets.ts";

// Parity with the originals, played in the same run: Gymnasium's FrozenLake and numpy's generators.
// FORKGYM_PYTHON names a Python with gymnasium; FORKGYM_REQUIRE_PEERS=1 makes its absence a failure.

type PlayedStep = [
  action: GymnasiumAction,
  cell: number,
  reward: number,
  terminated: boolean,
  truncated: boolean,
  prob: number,
];

interface PeerLake {
  readonly map: readonly string[];
  /** The map with more starts here and there: what was played. */
  readonly desc: readonly string[];
  readonly seed: number;
  readonly size: number;
  readonly p: number;
  readonly limit: number;
  readonly options: {
    readonly is_slippery: boolean;
    readonly success_rate: number;
    readonly reward_schedule: [number, number, number];
  };
  readonly episodes: readonly {
    readonly seed: number;
    readonly start: number;
    readonly steps: readonly PlayedStep[];
  }[];
}

interface Peer {
  readonly streams: readonly {
    readonly seed: number;
    readonly draws: readonly [high: number, whole: number, random: number, uniform: number][];
  }[];
  readonly rows: readonly {
    readonly split: "train" | "test";
    readonly rows: readonly [number, number, number][];
  }[];
  readonly hard: readonly string[];
  readonly lakes: readonly PeerLake[];
}

const python = process.env.FORKGYM_PYTHON;
const required = process.env.FORKGYM_REQUIRE_PEERS === "1";
const found = python !== undefined && spawnSync(python, ["-c", "import gymnasium"]).status === 0;
const missing = "FORKGYM_PYTHON is not set to a Python with gymnasium";

if (!found && required) {
  test("Gymnasium is there to compare with", () => {
    throw new Error(`${missing}, and FORKGYM_REQUIRE_PEERS=1 asks for it (got ${python})`);
  });
} else if (!found) {
  test.skip(`skipped: ${missing}`, () => {});
}

describe.runIf(found)("against Gymnasium and numpy", () => {
  let folder = "";
  let peer: Peer;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "forkgym-peer-"));
    const output = join(folder, "peer.jsonl");
    const script = fileURLToPath(new URL("./frozen_lake_peer.py", import.meta.url));
    execFileSync(python ?? "", [script, output], { stdio: ["ignore", "ignore", "inherit"] });
    const lines = readFileSync(output, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    peer = {
      streams: lines.flatMap((line) => line.stream ?? []),
      rows: lines.flatMap((line) => line.rows ?? []),
      hard: lines.flatMap((line) => line.hard ?? []),
      lakes: lines.filter((line) => line.map !== undefined),
    };
  }, 300_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("default_rng: integers, random and uniform in turn, for 206 seeds", () => {
    expect(peer.streams.length).toBe(206);
    for (const { seed, draws } of peer.streams) {
      const rng = Pcg64.seeded(seed);
      const ours = draws.map(([high]) => [high, rng.integers(0, high), rng.random(), rng.uniform(0.6, 0.85)]);
      expect(ours).toEqual(draws);
    }
  });

  test("all 10,100 rows of rLLM's data", () => {
    expect(peer.rows.map(({ rows }) => rows.length)).toEqual([10_000, 100]);
    for (const { split, rows } of peer.rows) {
      expect(rllmRows(split).map((row) => [row.seed, row.size, row.p])).toEqual(rows);
    }
  });

  test("the 100 hard test maps, drawn with numpy by the rule in words", () => {
    const set = hardSets[1]!.make();
    expect(Array.from({ length: set.size }, (_, i) => set.at(i).data.map.join("/"))).toEqual(peer.hard);
  });

  test("1,000 random maps", () => {
    expect(peer.lakes.length).toBe(1000);
    for (const { map, seed, size, p } of peer.lakes)
      expect(generateRandomMap({ seed, size, p })).toEqual(map);
  });

  test("every step on them: cell, reward, terminated, truncated and probability", async () => {
    let compared = 0;
    for (const { desc, limit, options, episodes } of peer.lakes) {
      const data = {
        map: desc,
        maxTurns: limit,
        isSlippery: options.is_slippery,
        successRate: options.success_rate,
        rewardSchedule: options.reward_schedule,
      };
      const env = new GymnasiumFrozenLake();
      for (const { seed, start, steps } of episodes) {
        expect(await env.reset({ task: { id: "peer", data }, seed })).toBe(start);
        const ours: PlayedStep[] = [];
        for (const [action] of steps) {
          const { observation, reward, end, info } = await env.step(action);
          const flags = gymnasiumFlags(end, { taken: ours.length + 1, max: limit });
          ours.push([action, observation, reward, flags.terminated, flags.truncated, Number(info?.prob)]);
        }
        expect(ours).toEqual(steps);
        compared += steps.length;
      }
    }
    expect(compared).toBeGreaterThan(20_000);
    console.log(`compared ${compared} steps with Gymnasium`);
  });
});
