import type { Dialogue, Message } from "../../core/dialogue.ts";
import { gridText } from "./grid.ts";
import { compileLake, GOAL, HOLE } from "./lake.ts";
import { parseRllmAction } from "./parse.ts";
import type { LakeView } from "./rllm.ts";
import type { RllmAction, RllmLakeData } from "./rllm-rules.ts";

/** How {@link rllmDialogueWith} words the rules. */
export interface RllmDialogueOptions {
  /**
   * Whether the rules call the ice slippery. rLLM's prompt does so and then plays without slips; here the prompt
   * tells the truth unless it is told otherwise.
   * @default the task's `isSlippery`, which is false unless given
   */
  readonly slipperyText?: boolean;
}

const GUIDE: readonly string[] = [
  "You control a player on a frozen lake. The lake is a grid of cells; each turn you see all of it and move by one cell.",
  "",
  "Task: bring the player (P) onto the goal (G) in as few moves as you can.",
  "",
  "Symbols: P player | _ frozen ice | O hole | G goal | X player in a hole | \u221A player on the goal",
  "",
  "Rules:",
  "- Frozen ice is safe. A hole ends the game and it is lost.",
  "- A move over the edge of the grid leaves the player where it is and still takes a turn.",
];

const SLIPPERY =
  "- The ice is slippery: a move may carry the player to the left or the right of where it was meant to go.";

const ANSWER: readonly string[] = [
  "- Actions: Up, Down, Left, Right.",
  "- Reward: 1 for reaching the goal, 0 for everything else.",
  "",
  "Think first, then write the one action to take next between triple backticks, for example ```Right```. " +
    "Only the last such block counts, and nothing but the action may stand in it.",
];

/**
 * rLLM's FrozenLake conversation in words of our own: a system message with the rules, then per turn the grid, a
 * request, a remark if nothing changed since the last turn, and the turns that are left.
 */
export function rllmDialogueWith(
  options: RllmDialogueOptions = {},
): Dialogue<RllmLakeData, LakeView, RllmAction> {
  return {
    name: "frozen-lake/rllm",
    opening(task) {
      const slippery = options.slipperyText ?? task.data.isSlippery ?? false;
      const lines = [...GUIDE, ...(slippery ? [SLIPPERY] : []), ...ANSWER];
      return [{ role: "system", content: lines.join("\n") }];
    },
    observe(_task, node): Message {
      const grid = gridText(node.observation);
      const lines = [`Lake after ${node.turn} of your turns:`, grid, request(node.observation)];
      if (node.parent !== undefined && gridText(node.parent.observation) === grid) {
        lines.push(
          "Your last reply changed nothing: either it held no valid action, or the edge stopped the player. " +
            "Look at the position again and write only the next action between triple backticks.",
        );
      }
      const { turnsLeft } = node.observation;
      if (turnsLeft > 0) lines.push(`Turns left: ${turnsLeft}.`);
      return { role: "user", content: lines.join("\n") };
    },
    parse: parseRllmAction,
  };
}

/** {@link rllmDialogueWith} with its defaults. */
export const rllmDialogue: Dialogue<RllmLakeData, LakeView, RllmAction> = rllmDialogueWith();

function request(view: LakeView): string {
  const kind = compileLake(view.map).kinds[view.player];
  if (kind === GOAL) return "P has reached G. The game is won.";
  if (kind === HOLE) return "P fell into a hole. The game is lost.";
  return "P has not reached G yet. Write your next action.";
}
