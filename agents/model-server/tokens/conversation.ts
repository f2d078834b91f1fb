import type { Message } from "../../../core/dialogue.ts";
import { InputError } from "../../../core/errors.ts";
import type { ChatTemplate } from "./chat-template.ts";

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
  readonly #chat: ChatTemplate;
  readonly #last: Piece;
  readonly #isAsked: boolean;

  private constructor(chat: ChatTemplate, last: Piece, isAsked: boolean) {
    this.#chat = chat;
    this.#last = last;
    this.#isAsked = isAsked;
  }

  /** Up to where the first reply begins; `messages` are the opening and the first observation. */
  static open(chat: ChatTemplate, messages: readonly Message[]): Conversation {
    return Conversation.resume(chat, chat.tokenizer.encode(chat.render(messages)));
  }

  /** As `open`, from a record: `promptDelta` of the first turn. */
  static resume(chat: ChatTemplate, tokenIds: readonly number[]): Conversation {
    return new Conversation(chat, piece(undefined, tokenIds), true);
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
    return new Conversation(this.#chat, piece(this.#last, tokenIds, logprobs), false);
  }

  /** With the end of the reply, unless it ended itself, the next message, and the opening of the next reply. */
  ask(message: Message): Conversation {
    const delta = this.#chat.tokenizer.encode(this.#chat.afterReply(message));
    const { endOfTurn } = this.#chat;
    const ended = endOfTurn !== undefined && this.#last.tokenIds.at(-1) === endOfTurn;
    return this.askRecorded(ended && delta[0] === endOfTurn ? delta.slice(1) : delta);
  }

  /** As `ask`, from a record: `promptDelta` of a later turn. @throws {InputError} if a reply is due. */
  askRecorded(tokenIds: readonly number[]): Conversation {
    if (this.#isAsked) throw new InputError("conversation: a reply is due before the next message");
    return new Conversation(this.#chat, piece(this.#last, tokenIds), true);
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
