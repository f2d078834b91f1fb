import type { Message } from "../../core/dialogue.ts";

/** Special tokens of {@link tinyTokenizer}, by their ids. Tokens 0 to 255 are the bytes of UTF-8. */
export const SPECIAL_TOKENS: Readonly<Record<string, number>> = {
  "<|endoftext|>": 256,
  "<|im_start|>": 257,
  "<|im_end|>": 258,
  "<extra_0>": 259,
};
const SPECIALS = Object.entries(SPECIAL_TOKENS);
const IM_START = 257;
const IM_END = 258;
const SPLIT = /(<\|endoftext\|>|<\|im_start\|>|<\|im_end\|>|<extra_0>)/;
const NEWLINE = 10;

/** ChatML, each message with a newline after its end. It only ever appends. */
const CHAT_TEMPLATE =
  "{%- for message in messages -%}" +
  "{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' -}}" +
  "{%- endfor -%}" +
  "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}";

/** A tokenizer small enough to be read whole: one token for each byte, and ChatML's special tokens. */
export interface TinyTokenizer {
  /** 260. */
  readonly vocabSize: number;
  /** `<|im_end|>`, with which the server's replies end. */
  readonly eosTokenId: number;
  /** Text to ids; special tokens in the text become their ids. */
  encode(text: string): number[];
  /** Ids to text; broken UTF-8 becomes U+FFFD. @default skipSpecial false */
  decode(tokenIds: readonly number[], skipSpecial?: boolean): string;
  /** Messages in ChatML, as text. @default addGenerationPrompt true */
  render(messages: readonly Message[], addGenerationPrompt?: boolean): string;
  /** The finished messages in ChatML ids; what is no ChatML gives none. */
  messages(tokenIds: readonly number[]): Message[];
}

function encode(text: string): number[] {
  const ids: number[] = [];
  for (const part of text.split(SPLIT)) {
    const special = Object.hasOwn(SPECIAL_TOKENS, part) ? SPECIAL_TOKENS[part] : undefined;
    if (special !== undefined) ids.push(special);
    else for (const byte of Buffer.from(part)) ids.push(byte);
  }
  return ids;
}

function decode(tokenIds: readonly number[], skipSpecial = false): string {
  let text = "";
  let from = 0;
  for (let at = 0; at <= tokenIds.length; at++) {
    if (at < tokenIds.length && tokenIds[at]! < 256) continue;
    if (at > from) text += Buffer.from(tokenIds.slice(from, at)).toString();
    if (at < tokenIds.length && !skipSpecial) text += SPECIALS[tokenIds[at]! - 256]?.[0] ?? "\uFFFD";
    from = at + 1;
  }
  return text;
}

function render(messages: readonly Message[], addGenerationPrompt = true): string {
  const turns = messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`);
  return turns.join("") + (addGenerationPrompt ? "<|im_start|>assistant\n" : "");
}

function messages(tokenIds: readonly number[]): Message[] {
  const found: Message[] = [];
  let start = tokenIds.indexOf(IM_START);
  while (start >= 0) {
    const end = tokenIds.indexOf(IM_END, start);
    if (end < 0) break;
    const line = tokenIds.indexOf(NEWLINE, start);
    const header = line < 0 || line > end ? end : line;
    const role = decode(tokenIds.slice(start + 1, header));
    const known = role === "system" || role === "assistant" ? role : "user";
    found.push({ role: known, content: decode(tokenIds.slice(header + 1, end)) });
    start = tokenIds.indexOf(IM_START, end);
  }
  return found;
}

export const tinyTokenizer: TinyTokenizer = {
  vocabSize: 260,
  eosTokenId: IM_END,
  encode,
  decode,
  render,
  messages,
};

/** {@link tinyTokenizer} as the `tokenizer.json` that Hugging Face's tokenizers load: byte-level BPE without merges. */
export function tokenizerJson(): Record<string, unknown> {
  const added = SPECIALS.map(([content, id]) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: true };
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab: byteVocab(),
      merges: [],
    },
  };
}

/** The `tokenizer_config.json` beside it, with the chat template. */
export function tokenizerConfig(): Record<string, unknown> {
  return {
    tokenizer_class: "PreTrainedTokenizerFast",
    add_bos_token: false,
    bos_token: null,
    eos_token: "<|im_end|>",
    pad_token: "<|endoftext|>",
    unk_token: null,
    additional_special_tokens: SPECIALS.map(([content]) => content),
    clean_up_tokenization_spaces: false,
    model_max_length: 32_768,
    chat_template: CHAT_TEMPLATE,
  };
}

/** Each byte by the letter that stands for it in byte-level BPE: printable Latin-1 as itself, the rest from U+0100. */
function byteVocab(): Record<string, number> {
  const vocab: Record<string, number> = {};
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    vocab[String.fromCharCode(printable ? byte : next++)] = byte;
  }
  return vocab;
}
