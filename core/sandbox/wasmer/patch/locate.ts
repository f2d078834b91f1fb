import type { Hunk } from "../git/apply/patch-file.ts";
import { type Sides, sidesOf } from "../git/apply/place.ts";

/** Where a hunk was put. Lines count from 1 on. */
export interface Place {
  readonly line: number;
  readonly fuzz: number;
  /** From where it said, the offset of the hunks before it taken in. */
  readonly offset: number;
}

/**
 * Finds the line of a hunk as GNU patch does: for a fuzz of 0, then 1 and so on up to `maxFuzz`, at the line that is
 * guessed and then ever farther from it. A fuzz leaves out so many lines of context at both ends.
 *
 * @param lastOffset how far the hunk before was from where it said
 * @param frozen lines of the text that hunks before it have used
 */
export function locate(
  image: readonly string[],
  hunk: Hunk,
  maxFuzz: number,
  lastOffset: number,
  frozen: number,
): Place | undefined {
  const sides = sidesOf(hunk);
  const most = Math.min(maxFuzz, Math.max(sides.head, sides.tail));
  for (let fuzz = 0; fuzz <= most; fuzz++) {
    const place = locateWith(image, hunk, sides, fuzz, lastOffset, frozen);
    if (place) return place;
  }
  return undefined;
}

/** The same with one fuzz. */
export function locateWith(
  image: readonly string[],
  hunk: Hunk,
  { before, head, tail }: Sides,
  fuzz: number,
  lastOffset: number,
  frozen: number,
): Place | undefined {
  const context = Math.max(head, tail);
  const [headFuzz, tailFuzz] = [fuzz + head - context, fuzz + tail - context];
  const first = before.length === 0 ? hunk.oldStart + 1 : hunk.oldStart;
  const guess = first + lastOffset;
  const at = (line: number, skipHead: number, skipTail: number): Place | undefined => {
    if (line < frozen + 1 || line < 1) return undefined;
    for (let index = skipHead; index < before.length - skipTail; index++) {
      if (image[line - 1 + index] !== before[index]) return undefined;
    }
    return { line, fuzz, offset: line - first };
  };
  if (before.length === 0) return { line: guess, fuzz, offset: lastOffset };
  if (headFuzz < 0 && first <= 1) {
    if (tailFuzz < 0 && before.length !== image.length) return undefined;
    return at(1, 0, Math.max(0, tailFuzz));
  }
  const skip = Math.max(0, headFuzz);
  if (tailFuzz < 0) return at(image.length - before.length + 1, skip, 0);
  const last = image.length - (before.length - tailFuzz) + 1;
  const farthest = Math.max(last - guess, guess - frozen - 1, 0);
  for (let offset = 0; offset <= farthest; offset++) {
    const lines = offset === 0 ? [guess] : [guess + offset, guess - offset];
    for (const line of lines) {
      const place = line <= last ? at(line, skip, tailFuzz) : undefined;
      if (place) return place;
    }
  }
  return undefined;
}
