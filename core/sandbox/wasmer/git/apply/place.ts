import type { Hunk } from "./patch-file.ts";

/** The lines that a hunk needs, and those that it puts in their place. */
export interface Sides {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Lines of context at its head and at its end. */
  readonly head: number;
  readonly tail: number;
}

export function sidesOf({ lines }: Hunk): Sides {
  const side = (sign: string): string[] =>
    lines.filter((line) => line[0] !== sign).map((line) => line.slice(1));
  const firstChange = lines.findIndex((line) => line[0] !== " ");
  const lastChange = lines.findLastIndex((line) => line[0] !== " ");
  return {
    before: side("+"),
    after: side("-"),
    head: firstChange === -1 ? lines.length : firstChange,
    tail: lines.length - 1 - lastChange,
  };
}

export function isAt(image: readonly string[], before: readonly string[], at: number): boolean {
  return (
    at >= 0 && at + before.length <= image.length && before.every((line, index) => image[at + index] === line)
  );
}

/**
 * Where a hunk belongs, as `git apply` looks for it: at the line that it names, then ever farther from there. One
 * that begins at line 1 belongs to the start of the file only, one without context at its end to the end only.
 */
export function placeOf(
  image: readonly string[],
  hunk: Hunk,
  sides: Sides,
  zeroContext: boolean,
): number | undefined {
  const { before, tail } = sides;
  const atStart = !zeroContext ? hunk.oldStart <= 1 : hunk.oldStart === 0;
  const atEnd = !zeroContext && tail === 0;
  const wanted = hunk.newStart > 0 ? hunk.newStart - 1 : 0;
  const end = image.length - before.length;
  return search(image, before, atStart ? 0 : atEnd ? end : wanted, (at) => {
    return (!atStart || at === 0) && (!atEnd || at === end);
  });
}

function search(
  image: readonly string[],
  before: readonly string[],
  wanted: number,
  mayBe: (at: number) => boolean,
): number | undefined {
  const start = Math.max(0, Math.min(wanted, image.length));
  for (let step = 0; step <= image.length; step++) {
    for (const at of step === 0 ? [start] : [start + step, start - step]) {
      if (at >= 0 && at <= image.length && mayBe(at) && isAt(image, before, at)) return at;
    }
  }
  return undefined;
}
