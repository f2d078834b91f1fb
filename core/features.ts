import type { Node } from "./rollout/tree.ts";

/** What a small learner sees of a turn: a fixed number of yes/no facts out of a longer list. */
export interface Features<Obs, Act> {
  /** How many facts there are. */
  readonly size: number;
  /** How many of them hold at any turn. */
  readonly count: number;
  /**
   * Writes the indices of the facts that hold, each from 0 up to `size` - 1, into `out[0]` to
   * `out[count - 1]`. They depend on the node and its parents alone.
   */
  write(node: Node<Obs, Act>, out: Int32Array): void;
}
