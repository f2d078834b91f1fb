/** Cuts a text at `limit` UTF-16 units, never inside a character. */
export function headOf(text: string, limit: number): string {
  return isPair(text, limit) ? text.slice(0, limit - 1) : text.slice(0, limit);
}

/** The last `limit` UTF-16 units of a text, or one less rather than half a character. */
export function tailOf(text: string, limit: number): string {
  const from = Math.max(0, text.length - limit);
  return text.slice(isPair(text, from) ? from + 1 : from);
}

/** Whether a character of two units lies across `at`. */
function isPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** Characters of one answer of an editor. Source: R2E-Gym's file_editor. */
const EDITOR_CHARACTERS = 10_000;

/** An answer of an editor, with the scaffolds' mark where it was cut. */
export function clipped(text: string): string {
  if (text.length <= EDITOR_CHARACTERS) return text;
  return `${headOf(text, EDITOR_CHARACTERS)}<response clipped> The rest was left out to save context. Look for the lines that you need, then view those alone.`;
}

/** What a text is once it was written and read again: halves of characters are replaced. */
export function asWritten(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
