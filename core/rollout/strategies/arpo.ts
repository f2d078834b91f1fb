import { onlyKnown, wholeFrom, within } from "../../check.ts";
import type { BranchView, Route, Strategy } from "../strategy.ts";
import type { Node } from "../tree.ts";
import { roomFor } from "./expansions.ts";

/** Options of {@link arpo}; defaults are those of ARPO's training script (RUC-NLPIR/ARPO) unless marked as ours. */
export interface ArpoOptions {
  /** Branches at the start. @default 4: ARPO's own is 8 of 16; PATR's comparison gives ARPO its own B0 of 4 */
  readonly branches?: number;
  /** Leaves that a tree ends with, n. @default 8, GRPO's group size in that comparison */
  readonly maxLeaves?: number;
  /** Beam size: a branch that splits goes on as this many. @default 2 */
  readonly beam?: number;
  /** A split happens when q is at most this. @default 0.5 */
  readonly probability?: number;
  /** Weight w of the entropy change. @default 0.2 */
  readonly entropyWeight?: number;
  /** Turns between two looks. @default 1: after every tool call */
  readonly every?: number;
  /** Starts fresh branches from the root when all have ended below `maxLeaves`, as ARPO does. @default true */
  readonly topUp?: boolean;
}

/**
 * Agentic reinforced policy optimization's entropy branching (ARPO, RUC-NLPIR/ARPO vllm_rollout_with_tools.py).
 *
 * After each turn, for each active branch: u uniform in [0, 1), q = clip(u - w (H_now - H_init), 0, 1), split if
 * q <= probability. H is the entropy of the choice and H_init that of the branch's own first choice, so that a
 * branch's baseline differs from its parent's. The beam is tried one child at a time, each with its own draw.
 * Entropies come from the policy; without them H_now - H_init is 0 and the rule is a coin.
 * Unlike the original, a group that stays short is filled with fresh episodes only, never with copies.
 */
export function arpo(options: ArpoOptions = {}): Strategy {
  const {
    branches = 4,
    maxLeaves = 8,
    beam = 2,
    probability = 0.5,
    entropyWeight = 0.2,
    every = 1,
  } = options;
  const { topUp = true } = options;
  wholeFrom(1, "arpo", "branches", branches);
  wholeFrom(branches, "arpo", "maxLeaves", maxLeaves);
  wholeFrom(2, "arpo", "beam", beam);
  within(0, 1, "arpo", "probability", probability);
  within(0, Number.MAX_VALUE, "arpo", "entropyWeight", entropyWeight);
  wholeFrom(1, "arpo", "every", every);
  const all = { branches, maxLeaves, beam, probability, entropyWeight, every, topUp };
  onlyKnown("arpo", options, all);
  return {
    name: "arpo",
    options: all,
    roots: branches,
    every,
    scored: false,
    route(view, rng) {
      const { active } = view;
      let room = roomFor(view, maxLeaves);
      return active.map((branch): Route => {
        let children = 0;
        for (let tries = 1; tries < beam && room > 0; tries++) {
          const q = rng.next() - entropyWeight * entropyChange(branch);
          if (Math.min(1, Math.max(0, q)) > probability) continue;
          children++;
          room--;
        }
        return children === 0 ? { kind: "survive" } : { kind: "expand", children, keepParent: true };
      });
    },
    topUp: (leaves) => (topUp && leaves < maxLeaves ? 1 : 0),
  };
}

/** H_now - H_init, where H_init is the entropy of the first choice that this very branch made. */
function entropyChange({ path, node }: BranchView): number {
  let first: Node<unknown, unknown> = node;
  while (first.parent !== undefined && first.parent.branch === path && first.parent.choice !== undefined) {
    first = first.parent;
  }
  return entropyOf(node) - entropyOf(first);
}

/** One that is no finite number is none: NaN would split every branch. */
function entropyOf({ choice }: Node<unknown, unknown>): number {
  return Number.isFinite(choice?.entropy) ? choice!.entropy! : 0;
}
