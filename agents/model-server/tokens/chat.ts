import type { Message } from "../../../core/dialogue.ts";

/**
 * A model's chat template and tokenizer, as a conversation of tokens needs them: `ChatTemplate` has them here,
 * `serverChat` asks the model's server.
 */
export interface Chat {
  /** For messages. */
  readonly name: string;
  /** The token that ends a turn of the assistant, if there is one. */
  readonly endOfTurn: number | undefined;
  /** `endOfTurn` and what else ends a reply. */
  readonly stopTokenIds: readonly number[];
  /** Tokens that there are, if that is known. */
  readonly vocabularySize: number | undefined;
  /** What the model is shown of `messages`, up to where its reply begins. @throws {InputError} if the template refuses. */
  opening(messages: readonly Message[], signal?: AbortSignal): Ids | Promise<Ids>;
  /** What stands between a reply and the next one: the end of the assistant's turn, `message`, the opening of the reply. */
  between(message: Message, signal?: AbortSignal): Ids | Promise<Ids>;
  /** The text of a reply, special tokens left out. */
  textOf(tokenIds: Ids, signal?: AbortSignal): string | Promise<string>;
}

type Ids = readonly number[];
