import { describe, expect, onTestFinished, test } from "vitest";
import { modelPolicy } from "../../../agents/model-server/policy.ts";
import type { SampleRecord } from "../../../agents/model-server/sample-record.ts";
import { ChatTemplate } from "../../../agents/model-server/tokens/chat-template.ts";
import { loadTokenizer } from "../../../agents/model-server/tokens/tokenizer.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import { pathTo } from "../../../core/rollout/tree.ts";
import { rllmDialogue } from "../../../envs/frozen-lake/dialogue.ts";
import { frozenLakeKit } from "../../../envs/frozen-lake/kit.ts";
import type { LakeView } from "../../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../../envs/frozen-lake/rllm-rules.ts";
import { randomReplies, startModelServer, tokenizerConfig, tokenizerJson } from "../../serving/index.ts";
import { KINDS } from "./replies.ts";

const replies = ["```Up```", "```Down```", "I think\n```Left```", "<think>no</think>```Right```", "nothing"];
const tasks = frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-test")!.make();

describe.each(Object.keys(KINDS))("a PATR tree over FrozenLake by %s", (kind) => {
  test("ends without a problem, its tokens line up, and forks find their prefix cached", async () => {
    const serving = await startModelServer({ policy: randomReplies(replies) });
    onTestFinished(() => serving.close());
    const server = KINDS[kind]!.make({ url: serving.url, model: "forkgym/tiny" });
    onTestFinished(() => server.close());
    const tokenizer = loadTokenizer({ tokenizerJson: tokenizerJson(), tokenizerConfig: tokenizerConfig() });
    const chat = new ChatTemplate({ tokenizer, name: "tiny" });
    const policy = modelPolicy<RllmLakeData, LakeView, RllmAction>({
      server,
      dialogue: rllmDialogue,
      chat,
      sampling: { maxTokens: 64, topLogprobs: 5 },
    });
    const tree = await rollout(tasks.at(0), {
      env: frozenLakeKit.make,
      policy,
      scorer: frozenLakeKit.progress!,
      strategy: patr({ every: 3 }),
      seed: 7,
    });
    expect(tree.problems).toEqual([]);
    expect(tree.leaves.map(({ error }) => error)).toEqual(tree.leaves.map(() => undefined));
    expect(tree.budget).toMatchObject({ turns: tree.nodes.length - 1 });
    expect(serving.stats()).toMatchObject({
      requests: tree.budget.turns,
      generatedTokens: tree.budget.generatedTokens,
    });
    for (const node of tree.nodes.slice(1)) {
      const { text, tokenIds, logprobs } = node.choice!.sample as unknown as SampleRecord;
      expect(replies).toContain(text);
      expect(node.choice!.entropy).toBeGreaterThanOrEqual(0);
      if (kind === "openai") continue;
      expect(tokenIds!.at(-1)).toBe(chat.endOfTurn);
      expect(logprobs).toHaveLength(tokenIds!.length);
      const tokens = pathTo(node)
        .slice(1)
        .flatMap(({ choice }) => {
          const sample = choice!.sample as unknown as SampleRecord;
          return [...sample.promptDelta!, ...sample.tokenIds!];
        });
      expect(node.choice!.usage!.promptTokens).toBe(tokens.length - tokenIds!.length);
    }
    expect(tree.budget.cachedTokens / tree.budget.promptTokens).toBeGreaterThan(0.8);
  });
});
