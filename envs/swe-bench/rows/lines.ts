import { createReadStream } from "node:fs";

/** One line of a text file; `text` is null where its bytes are not UTF-8. */
export interface TextLine {
  readonly text: string | null;
  /** Counted from 1, blank lines too. */
  readonly line: number;
}

/**
 * The lines of a file that are not blank, in flat memory. A byte order mark, CRLF ends and a last line without a
 * newline are fine. Only a newline ends a line: JSON may hold U+2028 as it is.
 */
export async function* textLines(path: string): AsyncGenerator<TextLine> {
  let line = 0;
  for await (const bytes of byteLines(path)) {
    line++;
    const text = decoded(line === 1 ? withoutMark(bytes) : bytes);
    if (text === null || text.trim() !== "") yield { text, line };
  }
}

async function* byteLines(path: string): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

export function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Null if the bytes are not UTF-8. */
export function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
