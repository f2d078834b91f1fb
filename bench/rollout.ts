import { random } from "../agents/random.ts";
import { table } from "../cli/tables.ts";
import { createRng } from "../core/rng.ts";
import { rollout } from "../core/rollout/engine.ts";
import { independent } from "../core/rollout/strategies/independent.ts";
import { patr } from "../core/rollout/strategies/patr.ts";
import type { Strategy } from "../core/rollout/strategy.ts";
import { type Task, tasksOf } from "../core/task.ts";
import { frozenLakeKit } from "../envs/frozen-lake/kit.ts";
import type { LakeView } from "../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../envs/frozen-lake/rllm-rules.ts";
import { alternate, nsEach, type RoundOptions, type Side } from "./rounds.ts";
import { median, percentile } from "./statistics.ts";

const EPISODES = 8;
const BARE = "bare loop";

const policy = random<RllmLakeData, LakeView, RllmAction>(frozenLakeKit.randomAction);

/**
 * What the rollout core costs per turn on top of the Env and the policy. The bare loop makes the same calls of
 * both without a tree; the rest of a rollout's time is the core's: nodes, seeds, forks, scores and routing.
 */
export async function rolloutBench(options: RoundOptions): Promise<number> {
  const { rounds, blockMs } = options;
  const set = frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-test")!.make();
  const tasks = [...tasksOf(set)];
  const strategies = [independent({ n: EPISODES }), patr()];
  const sides = [bareLoop(tasks), ...strategies.map((strategy) => trees(tasks, strategy))];
  const samples = await alternate(sides, options);
  const bare = samples.get(BARE)!;
  const results = strategies.map(({ name }) => {
    const all = samples.get(name)!;
    const core = all.map((ns, round) => (ns - bare[round]!) / 1000);
    return {
      strategy: name,
      turnsPerSecond: Math.round(1e9 / median(all)),
      turn: median(all) / 1000,
      bare: median(bare) / 1000,
      core: { median: median(core), p10: percentile(core, 0.1), p90: percentile(core, 0.9), rounds },
    };
  });
  const versions = { node: process.versions.node };
  const lines = [
    `rollout: ${rounds} rounds, blocks of ${blockMs} ms, node ${versions.node}; there is no peer to compare with`,
    table(
      ["strategy", "turns/s", "us/turn", "Env and policy alone", "core, us/turn", "p10 to p90"],
      results.map(({ strategy, turnsPerSecond, turn, core }) => [
        strategy,
        turnsPerSecond.toLocaleString("en"),
        turn.toFixed(2),
        (median(bare) / 1000).toFixed(2),
        core.median.toFixed(2),
        `${core.p10.toFixed(2)} to ${core.p90.toFixed(2)}`,
      ]),
    ),
    JSON.stringify({
      bench: "rollout",
      unit: "us/turn",
      ours: results[0]!.core.median,
      peer: null,
      ratio: null,
      strategies: results,
      rounds,
      blockMs,
      versions,
    }),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}

function trees(tasks: readonly Task<RllmLakeData>[], strategy: Strategy): Side {
  let grown = 0;
  return {
    name: strategy.name,
    async block(count) {
      const start = performance.now();
      let turns = 0;
      while (turns < count) {
        const { budget, problems } = await rollout(tasks[grown++ % tasks.length]!, {
          env: frozenLakeKit.make,
          policy,
          strategy,
          scorer: frozenLakeKit.progress!,
          seed: grown,
        });
        if (problems.length > 0) throw new Error(`bench: a tree has problems: ${problems[0]}`);
        turns += budget.turns;
      }
      return nsEach(start, turns);
    },
  };
}

/** The calls of an independent group of {@link EPISODES}: one reset, the other episodes forked, all of them played. */
function bareLoop(tasks: readonly Task<RllmLakeData>[]): Side {
  const rng = createRng("bench");
  const { signal } = new AbortController();
  let groups = 0;
  return {
    name: BARE,
    async block(count) {
      const start = performance.now();
      let turns = 0;
      while (turns < count) {
        const task = tasks[groups++ % tasks.length]!;
        const first = frozenLakeKit.make();
        const observation = await first.reset({ task, seed: groups });
        const node = { branch: "0", turn: 0, observation, reward: 0, repeats: 0 };
        const snapshot = await first.snapshot();
        for (let episode = 0; episode < EPISODES; episode++) {
          const env = episode === 0 ? first : await first.fork(snapshot, { seed: episode });
          for (let ended = false; !ended; turns++) {
            const { action } = await policy.act({ task, node, branch: "0", rng, signal });
            ended = (await env.step(action)).end !== undefined;
          }
          if (episode > 0) await env.close();
        }
        await first.release(snapshot);
        await first.close();
      }
      return nsEach(start, turns);
    },
  };
}
