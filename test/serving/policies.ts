import type { Message } from "../../core/dialogue.ts";

/** What a {@link ModelPolicy} sees. */
export interface ModelTurn {
  /** The finished messages of the prompt; none if it is no ChatML. */
  readonly messages: readonly Message[];
  readonly promptTokenIds: readonly number[];
  /** Of this choice: the request's seed plus the choice's index. */
  readonly seed: number;
  readonly weightVersion: string;
}

/** A reply and how likely it is, in any unit: weights need not sum to 1. */
export interface WeightedReply {
  readonly text: string;
  /** Above 0. */
  readonly weight: number;
}

/**
 * The model of the test server: one reply that is certain, or all those it could give. It must depend on its
 * argument alone, so that the same request is answered the same way.
 */
export type ModelPolicy = (
  turn: ModelTurn,
) => string | readonly WeightedReply[] | Promise<string | readonly WeightedReply[]>;

/** Any of the texts, each as likely as the others. */
export function randomReplies(texts: readonly string[]): ModelPolicy {
  const replies = texts.map((text) => ({ text, weight: 1 }));
  return () => replies;
}

/** The text of the conversation's turn; the last one from then on. */
export function scriptedReplies(texts: readonly string[]): ModelPolicy {
  return ({ messages }) => {
    const turn = messages.filter(({ role }) => role === "assistant").length;
    return texts[Math.min(turn, texts.length - 1)] ?? "";
  };
}
