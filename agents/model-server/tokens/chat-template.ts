import { Template } from "@huggingface/jinja";
import type { Message } from "../../../core/dialogue.ts";
import { InputError, messageOf } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Chat } from "./chat.ts";
import { answered, rewriting, saferKwargs } from "./rewriting.ts";
import { QUESTION, REPLY, standIn } from "./stand-in.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** The ChatML template that Qwen2.5-Instruct and others were trained with, without tools; it rewrites nothing. */
export const CHATML: string =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/** Options of {@link ChatTemplate}. */
export interface ChatTemplateOptions {
  readonly tokenizer: Tokenizer;
  /** For messages. @default "chat template" */
  readonly name?: string;
  /** Jinja text. @default the one in tokenizer_config.json */
  readonly template?: string;
  /** What the template is told beside the messages: `enable_thinking` for example. Texts, whole numbers, booleans. */
  readonly kwargs?: JsonObject;
  /**
   * What to do with a template that gives an earlier turn otherwise than it was sampled, as Qwen3's does when it drops
   * past thinking. `keep` goes on with the tokens that were sampled, which the template would have changed: what
   * is recorded is still exact, but not what the template's author meant the model to see.
   * @default "refuse"
   */
  readonly rewrites?: "refuse" | "keep";
}

/** A model's chat template, used so that a conversation only ever grows at its end. */
export class ChatTemplate implements Chat {
  readonly name: string;
  readonly tokenizer: Tokenizer;
  /** How the template rewrites earlier turns, in words; undefined if it does not. */
  readonly rewriting: string | undefined;
  /** The token that ends a turn of the assistant, if it is a special one. */
  readonly endOfTurn: number | undefined;
  /** `endOfTurn` and the tokenizer's `eos_token`: those that end a reply. */
  readonly stopTokenIds: readonly number[];
  readonly #template: Template;
  readonly #kwargs: JsonObject;

  /** @throws {InputError} if the template is no template, cannot be used, or rewrites earlier turns; says how. */
  constructor(options: ChatTemplateOptions) {
    const { tokenizer, name = "chat template", kwargs = {}, rewrites = "refuse" } = options;
    this.name = name;
    this.tokenizer = tokenizer;
    this.#kwargs = kwargs;
    const text = options.template ?? tokenizer.chatTemplate;
    if (text === undefined)
      throw new InputError(`${name}: tokenizer_config.json has none; pass \`template\``);
    this.#template = parsed(name, text);
    this.rewriting = this.#rewritingWith({});
    if (this.rewriting !== undefined && rewrites === "refuse") {
      const safer = saferKwargs(text, (more) => this.#rewritingWith(more));
      throw new InputError(`${name}: ${this.rewriting}; ${advice(safer)}`);
    }
    this.endOfTurn = this.#endOfTurn();
    const eos = tokenizer.specialId(tokenizer.specialTokens.eos_token ?? "");
    this.stopTokenIds = [...new Set([this.endOfTurn, eos])].filter((id) => id !== undefined);
  }

  get vocabularySize(): number {
    return this.tokenizer.size;
  }

  opening(messages: readonly Message[]): readonly number[] {
    return this.tokenizer.encode(this.render(messages));
  }

  between(message: Message): readonly number[] {
    return this.tokenizer.encode(this.afterReply(message));
  }

  textOf(tokenIds: readonly number[]): string {
    return this.tokenizer.decode(tokenIds);
  }

  /** What the model is shown of `messages`, up to where its reply begins. @throws {InputError} if the template refuses. */
  render(messages: readonly Message[]): string {
    return this.#render(messages, {});
  }

  /**
   * What stands between a reply and the next one: the end of the assistant's turn, `message`, and the opening of the next
   * reply. Rendered after a fixed stand-in for the reply, never after the real history.
   */
  afterReply(message: Message): string {
    return this.#afterReply(message, {});
  }

  #afterReply(message: Message, more: JsonObject): string {
    const text = this.#render(standIn(message), more);
    const at = text.indexOf(REPLY);
    if (at >= 0) return text.slice(at + REPLY.length);
    throw new InputError(`${this.name}: it leaves earlier replies out; such a template cannot be used`);
  }

  #rewritingWith(more: JsonObject): string | undefined {
    return answered(rewriting(), (question) =>
      "messages" in question ? this.#render(question.messages, more) : this.#afterReply(question.after, more),
    );
  }

  #endOfTurn(): number | undefined {
    const { tokenizer } = this;
    const [first] = this.between(QUESTION);
    return first !== undefined && tokenizer.isSpecial(first) ? first : undefined;
  }

  #render(messages: readonly Message[], more: JsonObject): string {
    try {
      return this.#template.render({
        ...this.tokenizer.specialTokens,
        ...this.#kwargs,
        ...more,
        messages: messages.map((message) => ({ ...message })),
        add_generation_prompt: true,
      });
    } catch (error) {
      throw new InputError(`${this.name}: cannot render the conversation: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

const NO_CLOCK = "strftime_now_is_not_there";

function parsed(name: string, text: string): Template {
  try {
    // Undefined, so that a template takes the date it has for such a case: a prompt that tells the day would differ
    // between two runs of one seed.
    return new Template(text.replaceAll("strftime_now", NO_CLOCK));
  } catch (error) {
    throw new InputError(`${name}: not a Jinja template: ${messageOf(error)}`, { cause: error });
  }
}

function advice(safer: JsonObject | undefined): string {
  const keep = '`rewrites: "keep"` goes on with the tokens as they were sampled';
  if (safer !== undefined)
    return `it does not with \`kwargs: ${JSON.stringify(safer)}\`, pass that (${keep})`;
  return `pass a \`template\` that leaves earlier turns alone, CHATML for example, or ${keep}`;
}
