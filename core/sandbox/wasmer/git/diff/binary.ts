import { deflateSync, inflateSync } from "node:zlib";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/** Bytes in one line of a binary patch. */
const LINE_BYTES = 52;

/** Whether git takes it for no text: there is a NUL in its first 8,000 bytes. */
export function isBinary(content: Uint8Array): boolean {
  return content.subarray(0, 8000).includes(0);
}

/** The content in a `GIT binary patch`: packed, five letters for four bytes, each line with its length before it. */
export function literal(content: Uint8Array): string {
  const packed = deflateSync(content, { level: 1 });
  let text = `literal ${content.length}\n`;
  for (let at = 0; at < packed.length; at += LINE_BYTES) {
    const line = packed.subarray(at, at + LINE_BYTES);
    const length = String.fromCharCode(line.length + (line.length <= 26 ? 64 : 70));
    text += `${length}${base85(line)}\n`;
  }
  return `${text}\n`;
}

function base85(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    let number = 0;
    for (let index = 0; index < 4; index++) number = number * 256 + (bytes[at + index] ?? 0);
    let group = "";
    for (let index = 0; index < 5; index++) {
      group = DIGITS[number % 85]! + group;
      number = Math.floor(number / 85);
    }
    text += group;
  }
  return text;
}

/** The bytes of the lines of a binary patch, unpacked. @returns undefined if they make no sense. */
export function unpacked(lines: readonly string[], size: number): Buffer | undefined {
  const parts: Buffer[] = [];
  for (const line of lines) {
    const letter = line.charCodeAt(0);
    const length = letter >= 97 ? letter - 70 : letter - 64;
    const bytes = fromBase85(line.slice(1));
    if (!bytes || length < 1 || length > bytes.length) return undefined;
    parts.push(bytes.subarray(0, length));
  }
  try {
    const content = inflateSync(Buffer.concat(parts));
    return content.length === size ? content : undefined;
  } catch {
    return undefined;
  }
}

function fromBase85(text: string): Buffer | undefined {
  if (text.length % 5 !== 0) return undefined;
  const bytes = Buffer.alloc((text.length / 5) * 4);
  for (let at = 0; at < text.length; at += 5) {
    let number = 0;
    for (const letter of text.slice(at, at + 5)) {
      const digit = DIGITS.indexOf(letter);
      if (digit === -1) return undefined;
      number = number * 85 + digit;
    }
    if (number > 0xffffffff) return undefined;
    bytes.writeUInt32BE(number, (at / 5) * 4);
  }
  return bytes;
}

/** What a `delta` of git says: pieces of the old content and new bytes. @returns undefined if it makes no sense. */
export function patchedByDelta(old: Uint8Array, delta: Uint8Array): Buffer | undefined {
  let at = 0;
  const number = (): number => {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = delta[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      shift += 7;
    } while (byte & 0x80);
    return value;
  };
  const [oldSize, newSize] = [number(), number()];
  if (oldSize !== old.length) return undefined;
  const parts: Uint8Array[] = [];
  while (at < delta.length) {
    const code = delta[at++]!;
    if (code & 0x80) {
      const field = (bits: number, shift: number): number => {
        let value = 0;
        for (let bit = 0; bit < bits; bit++)
          if (code & (1 << (shift + bit))) value += delta[at++]! * 256 ** bit;
        return value;
      };
      const [from, size] = [field(4, 0), field(3, 4) || 0x10000];
      parts.push(old.subarray(from, from + size));
    } else if (code === 0) return undefined;
    else {
      parts.push(delta.subarray(at, at + code));
      at += code;
    }
  }
  const result = Buffer.concat(parts);
  return result.length === newSize ? result : undefined;
}
