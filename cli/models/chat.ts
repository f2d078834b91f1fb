import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CHATML, ChatTemplate } from "../../agents/model-server/tokens/chat-template.ts";
import { loadTokenizer, type Tokenizer } from "../../agents/model-server/tokens/tokenizer.ts";
import { InputError, messageOf } from "../../core/errors.ts";
import { type JsonObject, sha256 } from "../../core/json.ts";
import type { ModelOptions } from "./options.ts";

/** A tokenizer from a folder, and what identifies it in a run's config. */
export interface LoadedTokenizer {
  readonly tokenizer: Tokenizer;
  /** SHA-256 of tokenizer.json. */
  readonly digest: string;
}

/** @throws {InputError} if a file is not there or is not what it should be. */
export async function tokenizerOf(folder: string): Promise<LoadedTokenizer> {
  const read = async (name: string) => {
    const file = join(folder, name);
    return await readFile(file, "utf8").catch((error: unknown) => {
      throw new InputError(`--tokenizer: cannot read ${file}: ${messageOf(error)}`);
    });
  };
  const [json, config] = [await read("tokenizer.json"), await read("tokenizer_config.json")];
  const tokenizer = loadTokenizer({
    tokenizerJson: parsed(join(folder, "tokenizer.json"), json),
    tokenizerConfig: parsed(join(folder, "tokenizer_config.json"), config),
  });
  return { tokenizer, digest: sha256(json) };
}

/** The chat template that the options name, with a tokenizer, and what identifies it in a run's config. */
export async function chatOf(
  folder: string,
  { tokenizer }: LoadedTokenizer,
  {
    model = "model",
    chatTemplate,
    chatOption,
    keepRewrites,
  }: Pick<ModelOptions, "model" | "chatTemplate" | "chatOption" | "keepRewrites">,
): Promise<{ readonly chat: ChatTemplate; readonly identity: JsonObject }> {
  const template = await templateText(folder, tokenizer, chatTemplate);
  const kwargs = kwargsOf(chatOption);
  const identity = {
    sha256: sha256(template),
    ...(Object.keys(kwargs).length > 0 && { options: kwargs }),
    ...(keepRewrites && { rewrites: "keep" }),
  };
  try {
    const rewrites = keepRewrites ? "keep" : "refuse";
    const chat = new ChatTemplate({
      tokenizer,
      name: `chat template of ${model}`,
      template,
      kwargs,
      rewrites,
    });
    return { chat, identity };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const how =
      "on the command line these are --chat-option name=value, --chat-template chatml, --keep-rewrites";
    throw new InputError(`${error.message}; ${how}`, { cause: error });
  }
}

/** What the template is told: texts, whole numbers and booleans. */
export function kwargsOf(chatOption: ModelOptions["chatOption"]): JsonObject {
  return Object.fromEntries(Object.entries(chatOption).map(([name, text]) => [name, value(text)]));
}

/** Newer models have their template beside tokenizer_config.json, older ones in it. */
async function templateText(
  folder: string,
  { chatTemplate: own }: Tokenizer,
  given: string | undefined,
): Promise<string> {
  if (given === "chatml") return CHATML;
  if (given !== undefined) {
    return await readFile(given, "utf8").catch((error: unknown) => {
      throw new InputError(
        `--chat-template: expected chatml or a file, cannot read ${given}: ${messageOf(error)}`,
      );
    });
  }
  const beside = await readFile(join(folder, "chat_template.jinja"), "utf8").catch(() => undefined);
  const found = beside ?? own;
  if (found !== undefined) return found;
  throw new InputError(
    `--tokenizer: ${folder} has no chat template, in tokenizer_config.json or as chat_template.jinja; name one with --chat-template`,
  );
}

function parsed(file: string, text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new InputError(`--tokenizer: ${file} is not JSON: ${messageOf(error)}`);
  }
}

function value(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
