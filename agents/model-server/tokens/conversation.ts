import { InputError } from "../../../core/errors.ts";
import type { Chat } from "./chat.ts";

/** A stretch of a conversation that was appended at once. */
interface Piece {
  readonly before: Piece | undefined;
  readonly tokenIds: readonly number[];
  /** Of the stretch if it was sampled; undefined if it was given. */
  readonly logprobs: readonly number[] | undefined;
  /** Tokens up to its end. */
  readonly end: number;
}

/**
 * The tokens of a branch, which only grow. Values: appending gives a new conversation that shares what came before, so
 * forks share their prefix. What was sampled is kept as it was sampled; no history is ever tokenised again.
 */
export class Conversation {
  readonly #endOfTurn: number | undefined;
  readonly #last: Piece;
  readonly #isAsked: boolean;

  private constructor(endOfTurn: number | undefined, last: Piece, isAsked: boolean) {
    this.#endOfTurn = endOfTurn;
    this.#last = last;
    this.#isAsked = isAsked;
  }

  /** Up to where the first reply begins: what {@link Chat.opening} gives, or `promptDelta` of a first turn's record. */
  static open({ endOfTurn }: Pick<Chat, "endOfTurn">, tokenIds: readonly number[]): Conversation {
    return new Conversation(endOfTurn, piece(undefined, tokenIds), true);
  }

  /** Tokens so far. */
  get length(): number {
    return this.#last.end;
  }

  /** What the last `open`, `ask` or `askRecorded` added. */
  get promptDelta(): readonly number[] {
    return this.#last.tokenIds;
  }

  /** With a reply as it was sampled. @throws {InputError} if no reply is due, or the lengths differ. */
  answer(tokenIds: readonly number[], logprobs: readonly number[]): Conversation {
    if (!this.#isAsked) throw new InputError("conversation: no reply is due; the last one was not answered");
    if (tokenIds.length !== logprobs.length) {
      throw new InputError(
        `conversation: ${tokenIds.length} tokens have ${logprobs.length} log-probabilities; one each is needed`,
      );
    }
    return new Conversation(this.#endOfTurn, piece(this.#last, tokenIds, logprobs), false);
  }

  /** With what {@link Chat.between} gives for the next message, less the end of the reply if it ended itself. */
  ask(between: readonly number[]): Conversation {
    const end = this.#endOfTurn;
    const ended = end !== undefined && this.#last.tokenIds.at(-1) === end;
    return this.askRecorded(ended && between[0] === end ? between.slice(1) : between);
  }

  /** As `ask`, from a record: `promptDelta` of a later turn. @throws {InputError} if a reply is due. */
  askRecorded(tokenIds: readonly number[]): Conversation {
    if (this.#isAsked) throw new InputError("conversation: a reply is due before the next message");
    return new Conversation(this.#endOfTurn, piece(this.#last, tokenIds), true);
  }

  tokenIds(): number[] {
    // Copied stretch by stretch: `flatMap` takes half a millisecond for some thousand tokens.
    return ([] as number[]).concat(...this.#pieces().map(({ tokenIds }) => tokenIds));
  }

  /** For each token whether it was sampled. */
  mask(): boolean[] {
    return this.#pieces().flatMap(({ tokenIds, logprobs }) => tokenIds.map(() => logprobs !== undefined));
  }

  /** For each token its log-probability; 0 where it was not sampled. */
  logprobs(): number[] {
    return this.#pieces().flatMap(({ tokenIds, logprobs }) => logprobs ?? tokenIds.map(() => 0));
  }

  #pieces(): Piece[] {
    const pieces: Piece[] = [];
    for (let at: Piece | undefined = this.#last; at !== undefined; at = at.before) pieces.push(at);
    return pieces.reverse();
  }
}

function piece(
  before: Piece | undefined,
  tokenIds: readonly number[],
  logprobs: readonly number[] | undefined = undefined,
): Piece {
  return { before, tokenIds, logprobs, end: (before?.end ?? 0) + tokenIds.length };
}
