import { deepStrictEqual } from "node:assert";
import { createRng } from "../core/rng.ts";
import type { Task } from "../core/task.ts";
import { type GymnasiumAction, GymnasiumFrozenLake } from "../envs/frozen-lake/gymnasium.ts";
import { GYMNASIUM_MAPS } from "../envs/frozen-lake/gymnasium-maps.ts";
import type { GymnasiumLakeData } from "../envs/frozen-lake/gymnasium-rules.ts";
import type { GymnasiumPeer } from "./peer.ts";
import { nsEach, type Side } from "./rounds.ts";
import { type VersusOptions, versus } from "./versus.ts";

const CHECKED_STEPS = 5000;

const task: Task<GymnasiumLakeData> = { id: "4x4", data: { map: GYMNASIUM_MAPS["4x4"] } };

/** A power of two, so that the sequence is gone through with a mask. */
const ACTIONS = 4096;

/** The actions that both sides go through, again and again. */
export function benchActions(): GymnasiumAction[] {
  const rng = createRng("bench");
  return Array.from({ length: ACTIONS }, () => rng.below(4) as GymnasiumAction);
}

/**
 * The step loop: one awaited step after the other, and a reset when an episode ends. Ours is reset with a new
 * seed each time, as the Env contract asks; Gymnasium's loop resets without one, which is the quicker way there.
 */
export function stepBench(options: VersusOptions): Promise<number> {
  const actions = benchActions();
  return versus(
    {
      bench: "step",
      operation: "step",
      ours: [ourSteps(actions)],
      peers: [
        { name: "gym.make(...)", request: { do: "step", env: "made" } },
        { name: "env.unwrapped", request: { do: "step", env: "unwrapped" } },
      ],
      compared: [
        ["await step", "gym.make(...)"],
        ["await step", "env.unwrapped"],
      ],
      prepare: async (peer) => {
        await peer.ask({ do: "prepare", actions });
        await checkSamePlay(peer, actions);
      },
    },
    options,
  );
}

function ourSteps(actions: readonly GymnasiumAction[]): Side {
  const env = new GymnasiumFrozenLake();
  let at = 0;
  let seed = 0;
  let begun = false;
  return {
    name: "await step",
    async block(count) {
      if (!begun) await env.reset({ task, seed });
      begun = true;
      const start = performance.now();
      for (let i = 0; i < count; i++) {
        const { end } = await env.step(actions[at]!);
        at = (at + 1) & (ACTIONS - 1);
        if (end !== undefined) await env.reset({ task, seed: ++seed });
      }
      return nsEach(start, count);
    },
  };
}

/** With the same seeds both play the same episodes, or the comparison is worth nothing. */
async function checkSamePlay(peer: GymnasiumPeer, actions: readonly GymnasiumAction[]): Promise<void> {
  const env = new GymnasiumFrozenLake();
  let seed = 0;
  await env.reset({ task, seed });
  const seen: [number, number][] = [];
  for (let i = 0; i < CHECKED_STEPS; i++) {
    const { observation, reward, end } = await env.step(actions[i % ACTIONS]!);
    seen.push([observation, reward]);
    if (end !== undefined) await env.reset({ task, seed: ++seed });
  }
  await env.close();
  deepStrictEqual(
    await peer.ask({ do: "play", steps: CHECKED_STEPS }),
    seen,
    "both sides play the same steps",
  );
}
