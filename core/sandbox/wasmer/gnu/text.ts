import { isUtf8 } from "node:buffer";

/**
 * Bytes as text and back without loss: a byte that is no part of UTF-8 becomes a lone surrogate, U+DC80 to U+DCFF,
 * as Python's `surrogateescape` has it.
 */
export function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (isUtf8(bytes)) return buffer.toString("utf8");
  let text = "";
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at);
    if (length === 0) {
      text += buffer.toString("utf8", start, at) + String.fromCharCode(0xdc00 + bytes[at]!);
      start = ++at;
    } else at += length;
  }
  return text + buffer.toString("utf8", start);
}

/** What matches a character that stands for a byte that is no text. */
export const NO_TEXT: RegExp = /[\udc80-\udcff]/u;

export function encode(text: string): Buffer {
  if (!NO_TEXT.test(text)) return Buffer.from(text);
  const parts = text.split(/([\udc80-\udcff])/u);
  return Buffer.concat(
    parts.map((part, at) => (at % 2 === 1 ? Buffer.of(part.charCodeAt(0) - 0xdc00) : Buffer.from(part))),
  );
}

/** Bytes of the character that starts here; 0 if none does. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  const length =
    first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  return length > 0 && isUtf8(bytes.subarray(at, at + length)) && at + length <= bytes.length ? length : 0;
}
