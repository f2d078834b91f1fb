import { cutMiddle, foreignText } from "./foreign-text.ts";

/** One turn of a branch in words. */
export interface TranscriptStep {
  readonly action: string;
  readonly observation: string;
}

/** A branch so far in words: what was asked and each turn since. */
export interface Transcript {
  readonly issue: string;
  readonly steps: readonly TranscriptStep[];
}

/** A transcript that fits: the turns in the middle may be missing. */
export interface FittedTranscript {
  readonly issue: string;
  readonly head: readonly TranscriptStep[];
  /** Turns left out between `head` and `tail`. */
  readonly leftOut: number;
  readonly tail: readonly TranscriptStep[];
}

/** Shares of the budget. A turn is at most 2/10 of it, so that the last turn always fits into the tail's 1/2. */
const SHARE = { issue: 1 / 4, field: 1 / 10, head: 1 / 3 };

/**
 * Cuts a transcript to at most `maxChars` characters of issue, actions and observations. The first turns stay where
 * they are however long the branch grows, so that a server's prefix cache holds them.
 */
export function fitTranscript(
  { issue, steps }: Transcript,
  maxChars: number,
  mark: string,
): FittedTranscript {
  const field = (text: string, share: number) =>
    cutMiddle(foreignText(text, mark), Math.floor(maxChars * share));
  const fitted = steps.map(({ action, observation }) => ({
    action: field(action, SHARE.field),
    observation: field(observation, SHARE.field),
  }));
  const cutIssue = field(issue, SHARE.issue);
  const room = maxChars - cutIssue.length;
  if (sizeOf(fitted) <= room) return { issue: cutIssue, head: fitted, leftOut: 0, tail: [] };
  const headRoom = Math.floor(room * SHARE.head);
  const head = fitted.slice(0, countThatFit(fitted, headRoom));
  const tailLength = countThatFit(fitted.toReversed(), room - headRoom);
  const tail = fitted.slice(fitted.length - tailLength);
  return { issue: cutIssue, head, leftOut: fitted.length - head.length - tail.length, tail };
}

function sizeOf(steps: readonly TranscriptStep[]): number {
  return steps.reduce((sum, { action, observation }) => sum + action.length + observation.length, 0);
}

function countThatFit(steps: readonly TranscriptStep[], room: number): number {
  let size = 0;
  const over = steps.findIndex((step) => {
    size += sizeOf([step]);
    return size > room;
  });
  return over === -1 ? steps.length : over;
}
