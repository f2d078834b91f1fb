import type { ModelServer } from "../../agents/model-server/index.ts";
import { ChatTemplate, loadTokenizer, modelPolicy } from "../../agents/model-server/index.ts";
import type { Policy } from "../../core/policy.ts";
import type { RolloutAllOptions } from "../../core/rollout/engine.ts";
import { patr } from "../../core/rollout/strategies/patr.ts";
import type { Strategy } from "../../core/rollout/strategy.ts";
import { type Task, tasksOf } from "../../core/task.ts";
import { rllmDialogue } from "../../envs/frozen-lake/dialogue.ts";
import { frozenLakeKit } from "../../envs/frozen-lake/kit.ts";
import type { LakeView } from "../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../envs/frozen-lake/rllm-rules.ts";
import { tokenizerConfig, tokenizerJson } from "../../test/serving/index.ts";

export type LakePolicy = Policy<RllmLakeData, LakeView, RllmAction>;

/** What the model says: any of these, each as likely as the others. 25 to 28 tokens with the end of the turn. */
export const REPLIES: readonly string[] = ["Up", "Down", "Left", "Right"].map(
  (move) => `I try this way.\n\`\`\`${move}\`\`\``,
);

/** With checkpoints every 3 turns, for the random model's episodes are short. */
export const tree: Strategy = patr({ every: 3 });

export function lakeTasks(count: number): Task<RllmLakeData>[] {
  const set = frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-train")!.make();
  return [...tasksOf(set, count)];
}

/** Rollouts of rLLM's FrozenLake: Env, scorer and policy. */
export function lakeRollouts(
  policy: LakePolicy,
  strategy: Strategy,
): Omit<RolloutAllOptions<RllmLakeData, LakeView, RllmAction>, "seed"> {
  return { env: frozenLakeKit.make, policy, strategy, scorer: frozenLakeKit.progress! };
}

/** The policy that a run has: chat template, tokenizer, records. */
export function modelOf(server: ModelServer): LakePolicy {
  const tokenizer = loadTokenizer({ tokenizerJson: tokenizerJson(), tokenizerConfig: tokenizerConfig() });
  return modelPolicy({
    server,
    dialogue: rllmDialogue,
    chat: new ChatTemplate({ tokenizer, name: "tiny" }),
    sampling: { maxTokens: 64 },
  });
}
