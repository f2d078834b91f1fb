/** Strings that chat templates and tokenizers of well-known models take for more than text. */
const SPECIAL: readonly string[] = [
  "<|",
  "<s>",
  "</s>",
  "[INST]",
  "[/INST]",
  "<start_of_turn>",
  "<end_of_turn>",
  "<think>",
  "</think>",
  "<extra_0>",
];

const STARTS = new RegExp(
  `(?=${SPECIAL.map((text) => text.replace(/[[\]|/]/g, "\\$&")).join("|")})([\\s\\S])`,
  "g",
);

/**
 * Text of others, such that it stays text: a space is put after the first character of whatever a chat template may
 * read as a token of its own (`<|im_end|>` becomes `< |im_end|>`), and `mark` is taken out wherever it stands.
 */
export function foreignText(text: string, mark = ""): string {
  const unmarked = mark === "" ? text : text.replaceAll(mark, "(mark)");
  return unmarked.replace(STARTS, "$1 ");
}

/**
 * Text of at most `most` UTF-16 units: if it is longer, its middle gives way to a remark. No character is halved.
 * `most` is at least 50.
 */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = most - ` [... ${text.length} characters left out ...] `.length;
  const head = whole(text, Math.ceil(room / 2));
  const tail = whole(text, text.length - Math.floor(room / 2), 1);
  return `${text.slice(0, head)} [... ${tail - head} characters left out ...] ${text.slice(tail)}`;
}

/** `at`, or the place `step` further if `at` would part two halves of a character. */
function whole(text: string, at: number, step = -1): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + step : at;
}
