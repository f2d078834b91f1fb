import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { ChatTemplate, loadTokenizer, modelPolicy, vllmServer } from "../../agents/model-server/index.ts";
import { table } from "../../cli/tables.ts";
import { rolloutAll } from "../../core/rollout/engine.ts";
import { independent } from "../../core/rollout/strategies/independent.ts";
import { patr } from "../../core/rollout/strategies/patr.ts";
import type { Strategy } from "../../core/rollout/strategy.ts";
import { tasksOf } from "../../core/task.ts";
import { rllmDialogue } from "../../envs/frozen-lake/dialogue.ts";
import { frozenLakeKit } from "../../envs/frozen-lake/kit.ts";
import type { LakeView } from "../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../envs/frozen-lake/rllm-rules.ts";
import { type ModelServerStats, tokenizerConfig, tokenizerJson } from "../../test/serving/index.ts";
import { Noted } from "./noted.ts";

export interface ServingOptions {
  /** Trees grown at once. */
  readonly trees: number;
  /** Sequences that the server runs at once. */
  readonly slots: number;
  /** What a token of every running sequence costs. */
  readonly msPerStep: number;
  /** Fail if fewer slots are busy after warm-up, as a share. */
  readonly minBusy?: number;
}

interface Served {
  readonly strategy: string;
  readonly busy: number;
  readonly cpuMsPerTurn: number;
  readonly turns: number;
  readonly promptTokens: number;
  readonly computedTokens: number;
  readonly generatedTokens: number;
  readonly hitShare: number;
}

/** How well trees keep a model server busy, and what they spare it; the test server, with a fixed cost model. */
export async function servingBench(options: ServingOptions): Promise<number> {
  const results = [await serve(patr({ every: 3 }), options), await serve(independent({ n: 8 }), options)];
  const [tree, group] = results as [Served, Served];
  const each = ({ computedTokens, generatedTokens }: Served) => computedTokens / generatedTokens;
  const ratio = each(tree) / each(group);
  process.stdout.write(
    `${[
      `serving: ${options.trees} trees at once, ${options.slots} slots, ${options.msPerStep} ms a step, node ${process.versions.node}`,
      table(
        [
          "strategy",
          "turns",
          "slots busy",
          "our CPU, ms/turn",
          "prompt tokens",
          "computed",
          "generated",
          "hits of possible",
        ],
        results.map((served) => [
          served.strategy,
          String(served.turns),
          `${(100 * served.busy).toFixed(1)}%`,
          served.cpuMsPerTurn.toFixed(3),
          String(served.promptTokens),
          String(served.computedTokens),
          String(served.generatedTokens),
          `${(100 * served.hitShare).toFixed(2)}%`,
        ]),
      ),
      `prompt tokens computed for each generated one: PATR ${each(tree).toFixed(2)}, independent ${each(group).toFixed(2)}, ratio ${ratio.toFixed(2)}`,
      JSON.stringify({ bench: "serving", results, ratio, options }),
    ].join("\n")}\n`,
  );
  return options.minBusy !== undefined && tree.busy < options.minBusy ? 1 : 0;
}

async function serve(strategy: Strategy, { trees, slots, msPerStep }: ServingOptions): Promise<Served> {
  const serving = new ServerProcess({ slots, msPerStep });
  try {
    const url = await serving.url();
    const server = new Noted(vllmServer({ url, model: "forkgym/tiny" }));
    const tokenizer = loadTokenizer({ tokenizerJson: tokenizerJson(), tokenizerConfig: tokenizerConfig() });
    const policy = modelPolicy<RllmLakeData, LakeView, RllmAction>({
      server,
      dialogue: rllmDialogue,
      chat: new ChatTemplate({ tokenizer, name: "tiny" }),
      sampling: { maxTokens: 64 },
    });
    const set = frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-train")!.make();
    const count = 4 * trees;
    let [done, turns] = [0, 0];
    let warm:
      | { readonly stats: ModelServerStats; readonly cpu: NodeJS.CpuUsage; readonly turns: number }
      | undefined;
    let served: Pick<Served, "busy" | "cpuMsPerTurn"> | undefined;
    const each = {
      env: frozenLakeKit.make,
      policy,
      strategy,
      scorer: frozenLakeKit.progress!,
      seed: 1,
      trees,
    };
    await rolloutAll(tasksOf(set, count), each, async (tree) => {
      turns += tree.budget.turns;
      if (tree.problems.length > 0) throw new Error(`bench: a tree has problems: ${tree.problems[0]}`);
      done++;
      // From when every tree of the first lot has been replaced to when no more are begun.
      if (done === trees) warm = { stats: await serving.stats(), cpu: process.cpuUsage(), turns };
      if (done === count - trees) {
        const { stats, cpu, turns: before } = warm!;
        const now = await serving.stats();
        const spent = process.cpuUsage(cpu);
        served = {
          busy: (now.busySlotMs - stats.busySlotMs) / (slots * (now.elapsedMs - stats.elapsedMs)),
          cpuMsPerTurn: (spent.user + spent.system) / 1000 / (turns - before),
        };
      }
    });
    const { promptTokens, cachedTokens, generatedTokens } = server;
    await server.close();
    return {
      strategy: strategy.name,
      ...served!,
      turns,
      promptTokens,
      computedTokens: promptTokens - cachedTokens,
      generatedTokens,
      hitShare: cachedTokens / server.possibleTokens(),
    };
  } finally {
    serving.stop();
  }
}

class ServerProcess {
  readonly #process: ChildProcess;

  constructor(options: { readonly slots: number; readonly msPerStep: number }) {
    this.#process = fork(new URL("./server-process.js", import.meta.url), [JSON.stringify(options)]);
  }

  async url(): Promise<string> {
    const [{ url }] = (await once(this.#process, "message")) as [{ readonly url: string }];
    return url;
  }

  async stats(): Promise<ModelServerStats> {
    const answer = once(this.#process, "message");
    this.#process.send("stats");
    const [{ stats }] = (await answer) as [{ readonly stats: ModelServerStats }];
    return stats;
  }

  stop(): void {
    this.#process.disconnect();
  }
}
