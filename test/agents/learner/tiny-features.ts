import type { Features } from "../../../core/features.ts";

/** Three facts of nine: the last digit of the observation in threes, of the one before, and the turn's parity. */
export const tinyFeatures: Features<number, number> = {
  size: 9,
  count: 3,
  write(node, out) {
    out[0] = node.observation % 3;
    out[1] = 3 + ((node.parent?.observation ?? 0) % 3);
    out[2] = 6 + (node.turn % 3);
  },
};

export const tinyActions: readonly number[] = [0, 1, 2];
