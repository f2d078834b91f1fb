import type { Captured } from "./sandbox.ts";

/**
 * What a command wrote, given its head and, if it was cut, its tail and the bytes left out between them. The mark
 * that stands for them in `text` is a line of its own: `[... 1234 bytes left out ...]`.
 */
export function captured(head: Uint8Array, tail: Uint8Array = new Uint8Array(), omittedBytes = 0): Captured {
  const bytes = Buffer.concat([head, tail]);
  return {
    bytes,
    omittedBytes,
    get text() {
      if (omittedBytes === 0) return bytes.toString("utf8");
      const [before, after] = [Buffer.from(head).toString("utf8"), Buffer.from(tail).toString("utf8")];
      return `${before}\n[... ${omittedBytes} bytes left out ...]\n${after}`;
    },
  };
}

/** Keeps the head and the tail of a stream, half of `limit` bytes each, in flat memory. */
export class Capture {
  readonly #limit: number;
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;
  /** Ring of the last bytes, made when the head is full. */
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #omitted = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Uint8Array): void {
    const room = Math.ceil(this.#limit / 2) - this.#headBytes;
    const head = chunk.subarray(0, Math.max(0, room));
    if (head.length > 0) {
      this.#head.push(new Uint8Array(head));
      this.#headBytes += head.length;
    }
    if (head.length < chunk.length) this.#addTail(chunk.subarray(head.length));
  }

  #addTail(chunk: Uint8Array): void {
    const size = Math.floor(this.#limit / 2);
    this.#tail.push(new Uint8Array(chunk.subarray(Math.max(0, chunk.length - size))));
    this.#omitted += Math.max(0, chunk.length - size);
    this.#tailBytes += Math.min(chunk.length, size);
    while (this.#tailBytes > size) {
      const first = this.#tail[0]!;
      const extra = Math.min(first.length, this.#tailBytes - size);
      if (extra === first.length) this.#tail.shift();
      else this.#tail[0] = first.subarray(extra);
      this.#tailBytes -= extra;
      this.#omitted += extra;
    }
    if (this.#tail.length > 1024) this.#tail = [Buffer.concat(this.#tail)];
  }

  parts(): { readonly head: Uint8Array; readonly tail: Uint8Array; readonly omittedBytes: number } {
    return { head: Buffer.concat(this.#head), tail: Buffer.concat(this.#tail), omittedBytes: this.#omitted };
  }

  result(): Captured {
    const { head, tail, omittedBytes } = this.parts();
    return captured(head, tail, omittedBytes);
  }
}
