import { expect, onTestFinished, test } from "vitest";
import { createLearner } from "../../agents/learner/learner.ts";
import { modelPolicy } from "../../agents/model-server/policy.ts";
import { ChatTemplate } from "../../agents/model-server/tokens/chat-template.ts";
import { loadTokenizer } from "../../agents/model-server/tokens/tokenizer.ts";
import { vllmServer } from "../../agents/model-server/vllm.ts";
import { rollout } from "../../core/rollout/engine.ts";
import { independent } from "../../core/rollout/strategies/independent.ts";
import { rllmDialogue } from "../../envs/frozen-lake/dialogue.ts";
import { lakeActions } from "../../envs/frozen-lake/features.ts";
import { frozenLakeKit } from "../../envs/frozen-lake/kit.ts";
import type { LakeView } from "../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../envs/frozen-lake/rllm-rules.ts";
import { lakeLearnerReplies, startModelServer, tokenizerConfig, tokenizerJson } from "./index.ts";

const tasks = frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-test")!.make();

test("a learner behind a chat template plays as it would by itself", async () => {
  const learner = createLearner<RllmLakeData, LakeView, RllmAction>({
    ...(frozenLakeKit.learning as { features: never; actions: readonly RllmAction[] }),
    seed: 3,
  });
  const serving = await startModelServer({ policy: lakeLearnerReplies(learner) });
  onTestFinished(() => serving.close());
  const tokenizer = loadTokenizer({ tokenizerJson: tokenizerJson(), tokenizerConfig: tokenizerConfig() });
  const policy = modelPolicy<RllmLakeData, LakeView, RllmAction>({
    server: vllmServer({ url: serving.url, model: "forkgym/tiny" }),
    dialogue: rllmDialogue,
    chat: new ChatTemplate({ tokenizer, name: "tiny" }),
    sampling: { maxTokens: 64 },
  });
  const numbers = new Set<number>();
  for (const [at, seed] of [0, 1, 2, 3].entries()) {
    const { nodes, problems } = await rollout(tasks.at(at), {
      env: frozenLakeKit.make,
      policy,
      strategy: independent({ n: 3 }),
      seed,
    });
    expect(problems).toEqual([]);
    for (const { parent, choice } of nodes.slice(1)) {
      const wanted = learner.logprobs(parent!)[lakeActions.indexOf(choice!.action)]!;
      // The reply's tokens are sampled one by one; together they are as likely as the move.
      expect(choice!.logprob).toBeCloseTo(wanted, 6);
      numbers.add(wanted);
    }
  }
  expect(numbers.size).toBeGreaterThan(10);
});
