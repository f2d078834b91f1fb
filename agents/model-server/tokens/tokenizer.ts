import { readFileSync } from "node:fs";
import { Tokenizer as HuggingFaceTokenizer } from "@huggingface/tokenizers";
import { InputError, messageOf } from "../../../core/errors.ts";

/** Text to token ids and back, as the model's own tokenizer does it. */
export interface Tokenizer {
  /** Tokens that there are, added ones included. */
  readonly size: number;
  /** No tokens are added; special tokens that are written out in the text become those tokens. */
  encode(text: string): number[];
  /** Special tokens are left out of the text. */
  decode(tokenIds: readonly number[]): string;
  /** The token's id, if it is a token that is never split. */
  specialId(token: string): number | undefined;
  /** Whether it is the id of such a token. */
  isSpecial(tokenId: number): boolean;
  /** From tokenizer_config.json, where a chat template may ask for it: `bos_token`, `eos_token` and the like. */
  readonly specialTokens: Readonly<Record<string, string>>;
  /** From tokenizer_config.json, if it is there. */
  readonly chatTemplate?: string;
}

/** Paths of a model's files, or what stands in them. */
export interface TokenizerFiles {
  readonly tokenizerJson: string | object;
  readonly tokenizerConfig: string | object;
}

/** A Hugging Face tokenizer. @throws {InputError} if a file cannot be read or is not one. */
export function loadTokenizer(files: TokenizerFiles): Tokenizer {
  const config = contentOf("tokenizerConfig", files.tokenizerConfig) as Record<string, unknown>;
  const inner = made(contentOf("tokenizerJson", files.tokenizerJson), config);
  const special = new Map<string, number>();
  for (const [id, { content }] of inner.get_added_tokens_decoder()) special.set(content, id);
  const specialIds = new Set(special.values());
  const { chat_template: template } = config;
  return {
    size: inner.get_vocab(true).size,
    encode: (text) => (text === "" ? [] : inner.encode(text, { add_special_tokens: false }).ids),
    decode(tokenIds) {
      if (tokenIds.length === 0) return "";
      return inner.decode([...tokenIds], { skip_special_tokens: true, clean_up_tokenization_spaces: false });
    },
    specialId: (token) => special.get(token),
    isSpecial: (tokenId) => specialIds.has(tokenId),
    specialTokens: specialTokens(config),
    ...(typeof template === "string" && { chatTemplate: template }),
  };
}

function contentOf(name: keyof TokenizerFiles, file: string | object): object {
  if (typeof file !== "string") return file;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as object;
  } catch (error) {
    throw new InputError(`tokenizer: cannot read \`${name}\` ${file}: ${messageOf(error)}`, { cause: error });
  }
}

function made(json: object, config: object): HuggingFaceTokenizer {
  try {
    return new HuggingFaceTokenizer(json, config);
  } catch (error) {
    throw new InputError(`tokenizer: these files are not a tokenizer: ${messageOf(error)}`, { cause: error });
  }
}

/** Older files have an object with `content` where newer ones have a text. */
function specialTokens(config: Record<string, unknown>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(config)) {
    if (!/^[a-z]+_token$/.test(name)) continue;
    const text =
      typeof value === "object" && value !== null ? (value as { content?: unknown }).content : value;
    if (typeof text === "string") found[name] = text;
  }
  return found;
}
