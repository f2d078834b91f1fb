import type { Features } from "../../core/features.ts";
import { compileLake, MOVES } from "./lake.ts";
import type { LakeView } from "./rllm.ts";
import type { RllmAction } from "./rllm-rules.ts";

/** The four moves, in the order of their native codes: left, down, right, up. */
export const lakeActions: readonly RllmAction[] = MOVES;

const REACH = 2;
const SIDE = 2 * REACH + 1;
const OUTSIDE = 3;
const KINDS = 4;
const ROW_SIGN = SIDE * SIDE * KINDS;
const COL_SIGN = ROW_SIGN + 3;
const LAST_ACTION = COL_SIGN + 3;

/**
 * A lake seen from the player, 111 inputs of which 28 are active: for each cell of the 5x5 window around the player,
 * row by row, whether it is safe, hole, goal or outside of the grid (100); whether the goal is up, level or down
 * (3) and left, level or right (3); and the last action: none or invalid, left, down, right, up (5).
 */
export const lakeFeatures: Features<LakeView, RllmAction> = {
  size: LAST_ACTION + 5,
  count: SIDE * SIDE + 3,
  write(node, out) {
    const { map, player } = node.observation;
    const { rows, cols, kinds, goals } = compileLake(map);
    const playerRow = Math.floor(player / cols);
    const playerCol = player - playerRow * cols;
    let at = 0;
    for (let row = playerRow - REACH; row <= playerRow + REACH; row++) {
      for (let col = playerCol - REACH; col <= playerCol + REACH; col++) {
        const inside = row >= 0 && row < rows && col >= 0 && col < cols;
        out[at] = at * KINDS + (inside ? kinds[row * cols + col]! : OUTSIDE);
        at++;
      }
    }
    const goal = goals[0]!;
    const goalRow = Math.floor(goal / cols);
    out[at] = ROW_SIGN + 1 + Math.sign(goalRow - playerRow);
    out[at + 1] = COL_SIGN + 1 + Math.sign(goal - goalRow * cols - playerCol);
    const action = node.choice?.action;
    out[at + 2] = LAST_ACTION + 1 + (action === undefined ? -1 : lakeActions.indexOf(action));
  },
};
