import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  ChatTemplate,
  loadTokenizer,
  modelPolicy,
  openaiServer,
  vllmServer,
} from "../../agents/model-server/index.ts";
import type { ModelServer } from "../../agents/model-server/model-server.ts";
import { sampledBy } from "../../agents/model-server/sampled-by.ts";
import { rolloutAll } from "../../core/rollout/engine.ts";
import { independent } from "../../core/rollout/strategies/independent.ts";
import { patr } from "../../core/rollout/strategies/patr.ts";
import type { Strategy } from "../../core/rollout/strategy.ts";
import { tasksOf } from "../../core/task.ts";
import { frozenLakeKit } from "../../envs/frozen-lake/kit.ts";
import { median } from "../statistics.ts";

// Drives a model server with PATR and with 8 independent episodes, in turns, each until it has generated so many tokens.
// Prints rows of docs/performance.md's table, and writes them there with --docs.

const { values: given } = parseArgs({
  options: {
    kind: { type: "string", default: "vllm" },
    url: { type: "string", default: "http://127.0.0.1:8000" },
    /** Folder of the model, which is also its name on the server. */
    model: { type: "string", default: "." },
    machine: { type: "string", default: "" },
    about: { type: "string", default: "" },
    trees: { type: "string", default: "64" },
    tokens: { type: "string", default: "200000" },
    rounds: { type: "string", default: "3" },
    docs: { type: "string" },
  },
});
const { kind, url, model } = given;
const [trees, enough, rounds] = [Number(given.trees), Number(given.tokens), Number(given.rounds)];

interface Speed {
  readonly generatedPerSecond: number;
  /** Prompt tokens computed for each generated one; NaN where the server does not say what it had cached. */
  readonly computed: number;
}

async function speed(strategy: Strategy, seed: number): Promise<Speed> {
  let [generated, prompt, cached, ms] = [0, 0, 0, 0];
  const start = performance.now();
  const server = kind === "vllm" ? vllmServer({ url, model }) : transformersServer();
  const counted = sampledBy(server, async (request, signal) => {
    const sample = await server.sample(request, signal);
    if (generated >= enough) return sample;
    generated += sample.generatedTokens;
    prompt += sample.promptTokens;
    cached += sample.cachedTokens ?? Number.NaN;
    ms = performance.now() - start;
    return sample;
  });
  const policy = modelPolicy({
    server: counted,
    dialogue: frozenLakeKit.dialogue!,
    sampling: { maxTokens: 96 },
    ...(counted.tokenExact && { chat: chat() }),
  });
  const set = frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-train")!.make();
  function* tasks() {
    for (const task of tasksOf(set)) {
      if (generated >= enough) return;
      yield task;
    }
  }
  const each = { env: frozenLakeKit.make, policy, strategy, scorer: frozenLakeKit.progress!, seed, trees };
  // Trees under way are let end, untimed: not every server stops when its client goes, and the next should find it idle.
  await rolloutAll(tasks(), each, ({ problems }) => {
    if (problems.length > 0) throw new Error(`bench: a tree has problems: ${problems[0]}`);
  });
  await server.close();
  return { generatedPerSecond: (1000 * generated) / ms, computed: (prompt - cached) / generated };
}

/** It refuses what it does not know. */
function transformersServer(): ModelServer {
  return openaiServer({ url, model, omit: ["top_k", "repetition_penalty", "stop_token_ids"] });
}

function chat(): ChatTemplate {
  const tokenizer = loadTokenizer({
    tokenizerJson: `${model}/tokenizer.json`,
    tokenizerConfig: `${model}/tokenizer_config.json`,
  });
  return new ChatTemplate({ tokenizer, template: readFileSync(`${model}/chat_template.jinja`, "utf8") });
}

const strategies = [patr(), independent({ n: 8 })];
const speeds = strategies.map((): Speed[] => []);
// The first round is for the server's compilers and caches.
for (let round = 0; round <= rounds; round++) {
  for (const [at, strategy] of strategies.entries()) {
    const measured = await speed(strategy, round);
    if (round > 0) speeds[at]!.push(measured);
  }
}
const rows = strategies.map(({ name }, at) => {
  const perSecond = speeds[at]!.map(({ generatedPerSecond }) => generatedPerSecond);
  const computed = median(speeds[at]!.map((one) => one.computed));
  const range = `${Math.min(...perSecond).toFixed(0)} to ${Math.max(...perSecond).toFixed(0)}`;
  const cells = [given.machine, given.about, name, median(perSecond).toFixed(0), range, String(rounds)];
  return `| ${[...cells, Number.isNaN(computed) ? "not told" : computed.toFixed(2)].join(" | ")} |`;
});
process.stdout.write(`${rows.join("\n")}\n`);
if (given.docs !== undefined) {
  const text = readFileSync(given.docs, "utf8");
  writeFileSync(
    given.docs,
    text.replace(/(?=<!-- \/gpu -->)/, () => `${rows.join("\n")}\n`),
  );
}
