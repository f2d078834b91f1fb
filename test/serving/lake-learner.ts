import type { Learner } from "../../agents/learner/learner.ts";
import type { Message } from "../../core/dialogue.ts";
import type { Node } from "../../core/rollout/tree.ts";
import { lakeActions } from "../../envs/frozen-lake/features.ts";
import { parseRllmAction } from "../../envs/frozen-lake/parse.ts";
import type { LakeView } from "../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../envs/frozen-lake/rllm-rules.ts";
import type { ModelPolicy } from "./policies.ts";

/** What a cell of the grid's text is; the one under the player is taken for the start. */
const CELLS: Readonly<Record<string, string>> = { _: "F", O: "H", G: "G", P: "S" };

/**
 * A learner that was trained on FrozenLake, behind a chat template: it reads the grid out of the last message and its own
 * last move out of the one before, and answers as rLLM's dialogue wants it, each move as likely as the learner has it.
 * A prompt without a grid is answered with any of the moves.
 */
export function lakeLearnerReplies(learner: Learner<RllmLakeData, LakeView, RllmAction>): ModelPolicy {
  return ({ messages }) => {
    const node = lakeNode(messages);
    const logprobs = node === undefined ? lakeActions.map(() => 0) : learner.logprobs(node);
    return lakeActions.map((action, index) => ({
      text: `\`\`\`${action[0]!.toUpperCase()}${action.slice(1)}\`\`\``,
      weight: Math.exp(logprobs[index]!),
    }));
  };
}

/** The turn that the messages tell of, as far as the features look at it. */
function lakeNode(messages: readonly Message[]): Node<LakeView, RllmAction> | undefined {
  const rows = (messages.at(-1)?.content ?? "")
    .split("\n")
    .filter((line) => /^( [_OGP] \t)+$/.test(line))
    .map((line) => line.replaceAll(/\s/g, ""));
  const player = rows.join("").indexOf("P");
  if (player < 0) return undefined;
  const map = rows.map((row) => row.replaceAll(/./g, (cell) => CELLS[cell]!));
  const last = messages.findLast(({ role }) => role === "assistant");
  return {
    branch: "0",
    turn: messages.length,
    observation: { map, player, turnsLeft: 1 },
    ...(last !== undefined && { choice: { action: parseRllmAction(last.content) } }),
    reward: 0,
    repeats: 0,
  };
}
