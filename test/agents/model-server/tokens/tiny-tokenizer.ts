import { loadTokenizer, type Tokenizer } from "../../../../agents/model-server/tokens/tokenizer.ts";

const SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const ADDED = ["<think>", "</think>"];

/** Merges that make the tokens of a text depend on what stands beside it. */
const MERGES =
  "t h|th e|i n|Ġ t|Ġ the|a l|l p|al p|e r|r e|o n|Ġ a|Ċ Ċ|` `|`` `|u p|U p|s t|< /|1 2|12 3|Ġ Ġ|Ċ Ġ".split(
    "|",
  );

/**
 * A byte-level BPE tokenizer of some 280 tokens, in the format of tokenizer.json. Ids: bytes from 0, merges from
 * 256, then `<|endoftext|>`, `<|im_start|>`, `<|im_end|>`, `<think>`, `</think>`.
 */
export function tinyTokenizer(config: Record<string, unknown> = {}): Tokenizer {
  const tokens = [...byteLetters(), ...MERGES.map((merge) => merge.replace(" ", ""))];
  const added = [...SPECIAL, ...ADDED].map((content, at) => ({
    id: tokens.length + at,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: SPECIAL.includes(content),
  }));
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: true };
  return loadTokenizer({
    tokenizerJson: {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: added,
      normalizer: null,
      pre_tokenizer: byteLevel,
      post_processor: byteLevel,
      decoder: byteLevel,
      model: {
        type: "BPE",
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: "",
        end_of_word_suffix: "",
        fuse_unk: false,
        byte_fallback: false,
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges: MERGES,
      },
    },
    tokenizerConfig: { eos_token: "<|im_end|>", pad_token: { content: "<|endoftext|>" }, ...config },
  });
}

/** GPT-2's letters for the 256 bytes: printable ones stand for themselves, the others for letters from U+0100 up. */
function byteLetters(): string[] {
  const isPrintable = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++));
}
