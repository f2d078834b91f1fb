import type { ModelServer, SampleRequest } from "../../agents/model-server/index.ts";
import { random } from "../../agents/random.ts";
import { rolloutAll } from "../../core/rollout/engine.ts";
import { frozenLakeKit } from "../../envs/frozen-lake/kit.ts";
import { tinyTokenizer } from "../../test/serving/index.ts";
import { type LakePolicy, lakeRollouts, lakeTasks, modelOf, REPLIES, tree } from "./lake.ts";

/** Milliseconds of CPU per turn, garbage collection and all threads included, one for each round. */
export interface CpuCost {
  readonly core: readonly number[];
  readonly withTokens: readonly number[];
}

const ROUNDS = 5;

/**
 * What a turn of PATR costs this process when the model costs nothing: `core` with a policy that draws an action
 * (engine, Env, strategy, scorer), `withTokens` with the policy that a run has and a server in this process that
 * answers at once (dialogue, chat template, tokenizer, records; no HTTP).
 * @param trees grown at once.
 */
export async function cpuCost(trees: number): Promise<CpuCost> {
  const core = random(frozenLakeKit.randomAction);
  return {
    core: await rounds(core, trees, 4),
    withTokens: await rounds(modelOf(instantServer()), trees, 1),
  };
}

/** Each round grows `trees` trees at once, `lots` times. The first is for the compilers. */
async function rounds(policy: LakePolicy, trees: number, lots: number): Promise<number[]> {
  const tasks = lakeTasks(trees * lots);
  // As a run does, which gives a signal; the engine has more to do then.
  const { signal } = new AbortController();
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS + 1; round++) {
    let turns = 0;
    const before = process.cpuUsage();
    await rolloutAll(tasks, { ...lakeRollouts(policy, tree), seed: round, trees, signal }, ({ budget }) => {
      turns += budget.turns;
    });
    const { user, system } = process.cpuUsage(before);
    if (round > 0) costs.push((user + system) / 1000 / turns);
  }
  return costs;
}

function instantServer(): ModelServer {
  const replies = REPLIES.map((text) => {
    const tokenIds = [...tinyTokenizer.encode(text), tinyTokenizer.eosTokenId];
    return { text, tokenIds, logprobs: tokenIds.map(() => 0), generatedTokens: tokenIds.length };
  });
  return {
    name: "instant",
    tokenExact: true,
    sample: async ({ seed, promptTokenIds }: SampleRequest) => ({
      ...replies[seed % replies.length]!,
      finishReason: "stop",
      promptTokens: promptTokenIds!.length,
      endpoint: "instant",
    }),
    close: async () => {},
  };
}
