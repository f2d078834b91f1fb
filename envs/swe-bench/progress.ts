import type { Node } from "../../core/rollout/tree.ts";
import type { Scorer } from "../../core/scorer.ts";
import type { SweInstance } from "./instance.ts";
import { type IssueNames, namesOf } from "./progress/issue-names.ts";
import { factsAfter, NO_FACTS, type PathFacts } from "./progress/path-facts.ts";
import type { SweAction, SweObservation } from "./types.ts";

/**
 * The parts of a score, which add up to 1. What counts most is what is nearest to the hidden verdict: the agent's own
 * runs after its last edit. All of the diagnosis together is worth less than an edit, so that a path that never edits
 * cannot pass one that does; a full pass has a step of its own, since nearly passing is not fixed.
 */
const WEIGHTS = {
  looks: 0.06,
  reproduced: 0.06,
  lookedAtNamed: 0.05,
  edited: 0.2,
  editedNamed: 0.08,
  share: 0.45,
  allPass: 0.1,
};

/** Turns of looking that are worth something. */
const LOOKS = 3;

/** What stands for the share while nothing was run since the edit: better than a failure, far from a success. */
const UNKNOWN_SHARE = 0.25;

/** A turn in vain costs so much of its part of the path. */
const WASTE = 0.6;

/** Up to so many lines an edit costs nothing; at so many, and above, it costs a fifth. */
const LINES = { free: 60, most: 400, cost: 0.2 };

/**
 * How near to a fix a branch is, from 0 to 1, from what its agent did and saw. PATR (arXiv 2607.15610) names the
 * stages (diagnosis, editing, verification) and not the formula; this one is ours, and its weights are a guess.
 *
 * - diagnosis: 0.06 for up to three turns that look at something new, 0.06 if something was run and failed before the
 *   first edit, 0.05 if a file that the issue names was looked at;
 * - editing: 0.2 if a file of the repository is edited (own scripts and tests are none), 0.08 if the issue names it;
 *   an edit that was taken back is none: `undo_edit` takes back one edit of its file, git all of them;
 * - verification, once edited: 0.45 times the mean passing share of what was run since the last edit (0.25 if nothing
 *   was), and 0.1 if all of it passes.
 *
 * The sum is multiplied by 1 - 0.6 * wasted / turns, where a turn is wasted that repeats one since the last edit or
 * was no action, and by a factor that falls from 1 at 60 edited lines to 0.8 at 400.
 *
 * It reads the issue's text, the actions and the observations, of any of the scaffolds; never what is hidden, and not
 * how the episode ended. Commands are read, not understood: an edit by an unknown program is not seen.
 */
export const sweProgress: Scorer<SweInstance, SweObservation, SweAction> = {
  name: "swe-progress",
  score: ({ task, node }) => scoreOf(factsAt(node, task.data.problemStatement)),
};

type SweNode = Node<SweObservation, SweAction>;

/** Facts of nodes, for the issue they were read with. */
const known = new WeakMap<
  SweNode,
  { readonly issue: string; readonly names: IssueNames; readonly facts: PathFacts }
>();

function factsAt(node: SweNode, issue: string): PathFacts {
  const path: SweNode[] = [];
  let from: SweNode | undefined = node;
  while (from !== undefined && known.get(from)?.issue !== issue) {
    path.push(from);
    from = from.parent;
  }
  const last = from === undefined ? undefined : known.get(from)!;
  const names = last?.names ?? namesOf(issue);
  let facts = last?.facts ?? NO_FACTS;
  for (const next of path.reverse()) {
    facts = factsAfter(facts, next, names);
    known.set(next, { issue, names, facts });
  }
  return facts;
}

function scoreOf(facts: PathFacts): number {
  const { turns, looks, reproduced, lookedAtNamed, editedNamed, edited, editedLines, shares, wasted } = facts;
  let score = WEIGHTS.looks * Math.min(1, looks / LOOKS);
  if (reproduced) score += WEIGHTS.reproduced;
  if (lookedAtNamed) score += WEIGHTS.lookedAtNamed;
  if (edited.size > 0) {
    const share =
      shares.size === 0
        ? UNKNOWN_SHARE
        : [...shares.values()].reduce((sum, one) => sum + one, 0) / shares.size;
    score += WEIGHTS.edited + WEIGHTS.share * share;
    if (editedNamed) score += WEIGHTS.editedNamed;
    if (share === 1) score += WEIGHTS.allPass;
  }
  const waste = turns === 0 ? 0 : wasted / turns;
  const size = Math.min(1, Math.max(0, editedLines - LINES.free) / (LINES.most - LINES.free));
  return Math.min(1, score * (1 - WASTE * waste) * (1 - LINES.cost * size));
}
