import { patchedByDelta, unpacked } from "../diff/binary.ts";
import type { BinaryData, Hunk } from "./patch-file.ts";
import { placeOf, sidesOf } from "./place.ts";

export interface HunkResult {
  readonly hunk: Hunk;
  /** Lines from where it said to where it was put; undefined if there was no place. */
  readonly offset: number | undefined;
  /** Line where it was put, from 1 on. */
  readonly line: number;
}

/** Puts hunks into a text, given as lines; those without a place are left out. */
export function putHunks(
  lines: readonly string[],
  hunks: readonly Hunk[],
  zeroContext: boolean,
): { readonly lines: readonly string[]; readonly results: readonly HunkResult[] } {
  let image = [...lines];
  const results = hunks.map((hunk): HunkResult => {
    const sides = sidesOf(hunk);
    const at = placeOf(image, hunk, sides, zeroContext);
    if (at === undefined) return { hunk, offset: undefined, line: 0 };
    image = [...image.slice(0, at), ...sides.after, ...image.slice(at + sides.before.length)];
    return { hunk, offset: at - (hunk.newStart > 0 ? hunk.newStart - 1 : 0), line: at + 1 };
  });
  return { lines: image, results };
}

/** @returns undefined if the data makes no sense for that content. */
export function putBinary(content: Uint8Array, { kind, size, lines }: BinaryData): Uint8Array | undefined {
  const data = unpacked(lines, size);
  return data && (kind === "literal" ? data : patchedByDelta(content, data));
}

export function contentOf(lines: readonly string[]): Uint8Array {
  return new Uint8Array(Buffer.from(lines.join(""), "latin1"));
}
