import { compileLake, GOAL, HOLE } from "./lake.ts";
import type { LakeView } from "./rllm.ts";

/**
 * The lake as text, as rLLM shows it: each cell is a space, its symbol, a space and a tab; rows are joined by a
 * newline. P player, _ frozen ice (the start too), O hole, G goal, X player in a hole, \u221A player on the goal.
 * Source: rLLM v0.2.1 frozenlake.py.
 */
export function gridText(view: LakeView): string {
  const { rows, cols, kinds } = compileLake(view.map);
  let text = "";
  for (let row = 0; row < rows; row++) {
    if (row > 0) text += "\n";
    for (let col = 0; col < cols; col++) {
      const cell = row * cols + col;
      text += ` ${symbol(kinds[cell]!, cell === view.player)} \t`;
    }
  }
  return text;
}

function symbol(kind: number, hasPlayer: boolean): string {
  if (kind === HOLE) return hasPlayer ? "X" : "O";
  if (kind === GOAL) return hasPlayer ? "\u221A" : "G";
  return hasPlayer ? "P" : "_";
}
