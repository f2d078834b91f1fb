/** How much of a buffer is in use by the longest content that lies in it. */
const used = new WeakMap<ArrayBufferLike, number>();

/**
 * `content` with `more` behind it. Room is left behind the result, so that appending a little many times copies a
 * little: older contents in the same buffer end before what is added, and do not change.
 */
export function appended(content: Uint8Array, more: Uint8Array): Uint8Array {
  const length = content.length + more.length;
  const end = content.byteOffset + content.length;
  const { buffer } = content;
  if (used.get(buffer) === end && end + more.length <= buffer.byteLength) {
    new Uint8Array(buffer, end, more.length).set(more);
    used.set(buffer, end + more.length);
    return new Uint8Array(buffer, content.byteOffset, length);
  }
  const grown = new Uint8Array(Math.max(64, Math.ceil(length * 1.5)));
  grown.set(content);
  grown.set(more, content.length);
  used.set(grown.buffer, length);
  return grown.subarray(0, length);
}

/** `content` with `bytes` put in at `offset`, zeros in between if it is shorter. Bytes at its end are appended. */
export function patched(content: Uint8Array, offset: number, bytes: Uint8Array): Uint8Array {
  if (offset === content.length) return appended(content, bytes);
  const result = new Uint8Array(Math.max(content.length, offset + bytes.length));
  result.set(content);
  result.set(bytes, offset);
  return result;
}

/** `content` cut or filled with zeros to `length`. */
export function resized(content: Uint8Array, length: number): Uint8Array {
  if (length <= content.length) return content.slice(0, length);
  return appended(content, new Uint8Array(length - content.length));
}
