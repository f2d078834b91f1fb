import { rolloutAll } from "../../core/rollout/engine.ts";
import { independent } from "../../core/rollout/strategies/independent.ts";
import type { Strategy } from "../../core/rollout/strategy.ts";
import { pathTo } from "../../core/rollout/tree.ts";
import { lakeRollouts, lakeTasks, modelOf, tree } from "./lake.ts";
import { withServer } from "./spawned-server.ts";

/** What a strategy asked of the server, for each token that the server generated. */
export interface TokenCost {
  readonly turns: number;
  readonly generated: number;
  /** Prompt tokens: all of them, which is what a server without a prefix cache computes. */
  readonly prompt: number;
  /** Prompt tokens that the server computed, with its prefix cache. */
  readonly computed: number;
  /** Leaves for 1,000 generated tokens. */
  readonly leavesPer1k: number;
  /** Generated tokens on the paths to the leaves, each leaf's own path: what a trainer gets of one generated token. */
  readonly onPaths: number;
  readonly hitShare: number;
}

export interface TokenComparison {
  readonly seed: number;
  readonly patr: TokenCost;
  readonly independent: TokenCost;
}

/** PATR and 8 independent episodes of the same tasks, one comparison for each seed from 1. Time plays no part. */
export async function compareTokens(seeds: number, trees: number): Promise<TokenComparison[]> {
  const comparisons: TokenComparison[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    comparisons.push({
      seed,
      patr: await tokenCost(tree, seed, trees),
      independent: await tokenCost(independent({ n: 8 }), seed, trees),
    });
  }
  return comparisons;
}

function tokenCost(strategy: Strategy, seed: number, trees: number): Promise<TokenCost> {
  return withServer({}, async (server) => {
    let [leaves, onPaths] = [0, 0];
    const options = { ...lakeRollouts(modelOf(server), strategy), seed, trees: 8 };
    await rolloutAll(lakeTasks(trees), options, (grown) => {
      if (grown.problems.length > 0) throw new Error(`bench: a tree has problems: ${grown.problems[0]}`);
      leaves += grown.leaves.length;
      for (const { node } of grown.leaves) {
        for (const { choice } of pathTo(node)) onPaths += choice?.usage?.generatedTokens ?? 0;
      }
    });
    const { replies: turns, generatedTokens: generated, promptTokens, cachedTokens } = server;
    return {
      turns,
      generated,
      prompt: promptTokens / generated,
      computed: (promptTokens - cachedTokens) / generated,
      leavesPer1k: (1000 * leaves) / generated,
      onPaths: onPaths / generated,
      hitShare: server.hitShare(),
    };
  });
}
