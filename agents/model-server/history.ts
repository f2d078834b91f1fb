import type { Dialogue, Message } from "../../core/dialogue.ts";
import { InputError } from "../../core/errors.ts";
import { type Node, pathTo } from "../../core/rollout/tree.ts";
import type { Task } from "../../core/task.ts";
import { sampleRecordOf } from "./sample-record.ts";
import type { Chat } from "./tokens/chat.ts";
import { Conversation } from "./tokens/conversation.ts";

/** What a branch has said so far, as messages, ending in what is to be answered. */
export function messagesTo<Data, Obs, Act>(
  dialogue: Dialogue<Data, Obs, Act>,
  task: Task<Data>,
  node: Node<Obs, Act>,
): Message[] {
  const messages = [...dialogue.opening(task)];
  for (const at of pathTo(node)) {
    if (at.choice !== undefined) {
      messages.push({ role: "assistant", content: sampleRecordOf(at.choice.sample, at.turn).text });
    }
    messages.push(dialogue.observe(task, at));
  }
  return messages;
}

/**
 * The tokens of branches. They are kept on the nodes, so forks share their prefix; a branch whose nodes come from a
 * record is put together from what its turns recorded.
 */
export class Histories<Data, Obs, Act> {
  readonly #dialogue: Dialogue<Data, Obs, Act>;
  readonly #chat: Chat;
  readonly #known = new WeakMap<Node<Obs, Act>, Conversation>();

  constructor(dialogue: Dialogue<Data, Obs, Act>, chat: Chat) {
    this.#dialogue = dialogue;
    this.#chat = chat;
  }

  /** Up to where the answer to `node` begins. @throws {InputError} if a turn's record does not say its tokens. */
  async asked(task: Task<Data>, node: Node<Obs, Act>, signal?: AbortSignal): Promise<Conversation> {
    const path = pathTo(node);
    let from = path.length - 1;
    while (from >= 0 && !this.#known.has(path[from]!)) from--;
    let conversation = from < 0 ? undefined : this.#known.get(path[from]!);
    for (const at of path.slice(from + 1)) {
      // The turn after it recorded what was put in front of it.
      const recorded = at === node ? undefined : turnAfter(path, at).promptDelta;
      conversation = await this.#next(conversation, task, at, recorded, signal);
      this.#known.set(at, conversation);
    }
    return conversation!;
  }

  async #next(
    before: Conversation | undefined,
    task: Task<Data>,
    node: Node<Obs, Act>,
    recorded: readonly number[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Conversation> {
    const message = this.#dialogue.observe(task, node);
    if (before === undefined) {
      const messages = [...this.#dialogue.opening(task), message];
      return Conversation.open(this.#chat, recorded ?? (await this.#chat.opening(messages, signal)));
    }
    const { tokenIds, logprobs } = exact(node);
    const answered = before.answer(tokenIds, logprobs);
    if (recorded !== undefined) return answered.askRecorded(recorded);
    return answered.ask(await this.#chat.between(message, signal));
  }
}

function turnAfter(path: readonly Node<unknown, unknown>[], node: Node<unknown, unknown>) {
  return exact(path[path.indexOf(node) + 1]!);
}

function exact({ choice, turn }: Node<unknown, unknown>) {
  const { promptDelta, tokenIds, logprobs } = sampleRecordOf(choice?.sample, turn);
  if (promptDelta !== undefined && tokenIds !== undefined && logprobs !== undefined) {
    return { promptDelta, tokenIds, logprobs };
  }
  throw new InputError(
    `model policy: turn ${turn} was recorded without its tokens, so it cannot be continued exactly`,
  );
}
