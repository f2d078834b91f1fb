import type { Message } from "../../../core/dialogue.ts";
import type { JsonObject } from "../../../core/json.ts";
import { ServerError } from "../errors.ts";
import type { JsonClient } from "../http.ts";
import { Field } from "../reply.ts";
import type { ChatTemplate } from "./chat-template.ts";

/** How our tokens compare with a server's: the same, unknown as it does not say, or how they differ. */
export type Comparison = "same" | "unknown" | { readonly difference: string };

/**
 * Asks a server's own `/tokenize` (vLLM, SGLang) for a conversation. `tokenizer`: as our template renders it, so that
 * other ids mean another tokenizer than the model's. `template`: as the server's own template renders it, told `kwargs`.
 * A server without that route, or that does not answer, is `unknown`.
 */
export async function compareTokens(
  client: JsonClient,
  model: string,
  chat: ChatTemplate,
  messages: readonly Message[],
  kwargs: JsonObject = {},
): Promise<{ readonly tokenizer: Comparison; readonly template: Comparison }> {
  const prompt = chat.render(messages);
  const ours = chat.tokenizer.encode(prompt);
  const tokenizer = await compare(client, { model, prompt, add_special_tokens: false }, ours);
  const asMessages = { model, messages, add_generation_prompt: true, chat_template_kwargs: kwargs };
  return { tokenizer, template: tokenizer === "same" ? await compare(client, asMessages, ours) : "unknown" };
}

async function compare(client: JsonClient, body: object, ours: readonly number[]): Promise<Comparison> {
  let theirs: readonly number[];
  try {
    theirs = new Field("/tokenize", await client.post("/tokenize", body)).get("tokens").tokenIds();
  } catch (error) {
    if (error instanceof ServerError) return "unknown";
    throw error;
  }
  const at = theirs.findIndex((id, index) => id !== ours[index]);
  if (at < 0 && theirs.length === ours.length) return "same";
  const place = at < 0 ? theirs.length : at;
  const shown = (id: number | undefined) => id ?? "nothing";
  return {
    difference:
      `the server has ${theirs.length} tokens and we have ${ours.length}; at place ${place} it has ` +
      `${shown(theirs[place])} and we have ${shown(ours[place])}`,
  };
}
