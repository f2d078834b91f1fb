import type { Message } from "../../../core/dialogue.ts";
import { InputError, messageOf } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { ServerError } from "../errors.ts";
import { type HttpOptions, type JsonClient, jsonClient } from "../http.ts";
import { Field } from "../reply.ts";
import type { Chat } from "./chat.ts";
import { answeredLater, type Question, rewriting } from "./rewriting.ts";
import { QUESTION, REPLY, standIn } from "./stand-in.ts";

/** Options of {@link serverChat}. */
export interface ServerChatOptions {
  /** vLLM servers of the model, at least one; where one cannot be reached the next is asked. */
  readonly servers: readonly HttpOptions[];
  readonly model: string;
  /** For messages. @default "chat template of MODEL on its server" */
  readonly name?: string;
  /** What the template is told beside the messages, as `chat_template_kwargs`. @default {} */
  readonly kwargs?: JsonObject;
  /** As for a `ChatTemplate`. @default "refuse" */
  readonly rewrites?: "refuse" | "keep";
}

/**
 * The chat template and tokenizer that a vLLM server has of its model, by its `/tokenize` and `/detokenize`: for those
 * who do not have the model's files. One short request for each turn's prompt and one for each reply.
 *
 * Which tokens are special no server says: the end of the assistant's turn is known by its look, `<...>` or `[...]`.
 * @throws {InputError} if a server lacks the routes, or the template cannot be used or rewrites earlier turns.
 * @throws {ServerError} if none can be reached; in the chat's methods too.
 */
export async function serverChat(options: ServerChatOptions): Promise<Chat & { close(): Promise<void> }> {
  const { servers, model, kwargs = {}, rewrites = "refuse" } = options;
  const name = options.name ?? `chat template of ${model} on its server`;
  if (servers.length === 0) throw new InputError("server chat: `servers` is empty; name at least one");
  const tokens = new ServerTokens(name, servers, model, kwargs);
  try {
    const replyIds = await tokens.ofText(REPLY);
    const between = async (message: Message, signal?: AbortSignal) => {
      const ids = await tokens.ofMessages(standIn(message), signal);
      const at = indexOf(ids, replyIds);
      if (at >= 0) return ids.slice(at + replyIds.length);
      throw new InputError(
        `${name}: it leaves earlier replies out, or runs their tokens together with others; use the model's files instead`,
      );
    };
    const end = (await between(QUESTION))[0];
    const endOfTurn = end !== undefined && SPECIAL.test(await tokens.text([end])) ? end : undefined;
    const chat = {
      name,
      endOfTurn,
      stopTokenIds: endOfTurn === undefined ? [] : [endOfTurn],
      vocabularySize: undefined,
      opening: (messages: readonly Message[], signal?: AbortSignal) => tokens.ofMessages(messages, signal),
      between,
      textOf: (ids: readonly number[], signal?: AbortSignal) =>
        tokens.text(endOfTurn !== undefined && ids.at(-1) === endOfTurn ? ids.slice(0, -1) : ids, signal),
      close: () => tokens.close(),
    };
    if (rewrites === "refuse") await refuseRewriting(chat, tokens);
    return chat;
  } catch (error) {
    await tokens.close();
    throw error;
  }
}

const SPECIAL = /^(<\S{2,}>|\[\S{2,}\])$/;

/** What is rendered is compared as text: the same text may be cut into other tokens where it is joined. */
async function refuseRewriting(chat: Chat, tokens: ServerTokens): Promise<void> {
  const render = async (question: Question) =>
    tokens.text(
      "messages" in question ? await chat.opening(question.messages) : await chat.between(question.after),
    );
  const how = await answeredLater(rewriting(), render);
  if (how === undefined) return;
  throw new InputError(
    `${chat.name}: ${how}; pass \`kwargs\` with which it does not (\`enable_thinking: false\` for example), or ` +
      '`rewrites: "keep"` to go on with the tokens as they were sampled',
  );
}

/** The two routes. */
class ServerTokens {
  readonly #name: string;
  readonly #clients: readonly JsonClient[];
  readonly #model: string;
  readonly #kwargs: JsonObject;

  constructor(name: string, servers: readonly HttpOptions[], model: string, kwargs: JsonObject) {
    this.#name = name;
    this.#clients = servers.map((server) => jsonClient("server chat", server));
    this.#model = model;
    this.#kwargs = kwargs;
  }

  async ofMessages(messages: readonly Message[], signal?: AbortSignal): Promise<readonly number[]> {
    const more = { add_generation_prompt: true, chat_template_kwargs: this.#kwargs };
    return (await this.#ask("/tokenize", { messages, ...more }, signal)).get("tokens").tokenIds();
  }

  async ofText(prompt: string): Promise<readonly number[]> {
    return (await this.#ask("/tokenize", { prompt, add_special_tokens: false })).get("tokens").tokenIds();
  }

  async text(tokens: readonly number[], signal?: AbortSignal): Promise<string> {
    if (tokens.length === 0) return "";
    return (await this.#ask("/detokenize", { tokens }, signal)).get("prompt").text();
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  async #ask(path: string, body: object, signal?: AbortSignal): Promise<Field> {
    let away: unknown;
    for (const client of this.#clients) {
      try {
        return new Field(
          `${client.url}${path}`,
          await client.post(path, { model: this.#model, ...body }, signal),
        );
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        if (error.status === undefined) away = error;
        else throw this.#refused(error);
      }
    }
    throw away;
  }

  #refused(error: ServerError): Error {
    if (error.status === 404 || error.status === 405) {
      return new InputError(
        `${this.#name}: ${messageOf(error)}; only vLLM has this route, use the model's files instead`,
        { cause: error },
      );
    }
    return error.status === 400
      ? new InputError(`${this.#name}: ${messageOf(error)}`, { cause: error })
      : error;
  }
}

function indexOf(ids: readonly number[], part: readonly number[]): number {
  return ids.findIndex((_, at) => part.every((id, offset) => ids[at + offset] === id));
}
