/** A line of a unified diff: outside hunks, the start of a hunk, or in one. Line ends are left on. */
export interface PatchLine {
  readonly kind: "header" | "hunk" | "body";
  readonly text: string;
}

export const HUNK: RegExp = /^@@ -(\d+(?:,\d+)?) \+(\d+(?:,\d+)?) @@(.*)$/s;

/**
 * The lines of a patch, split at newlines only. Hunks are followed by their counts, because a removed line `-- a`
 * looks like a header.
 */
export function* patchLines(patch: string): Generator<PatchLine> {
  let old = 0;
  let fresh = 0;
  const lines = patch.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const text of lines) {
    if (old > 0 || fresh > 0) {
      // An editor may have taken the blank off an empty line of context.
      if (text === "" || text.startsWith(" ")) [old, fresh] = [old - 1, fresh - 1];
      else if (text.startsWith("-")) old--;
      else if (text.startsWith("+")) fresh--;
      yield { kind: "body", text };
      continue;
    }
    const hunk = HUNK.exec(text);
    if (hunk !== null) [old, fresh] = [lengthOf(hunk[1]!), lengthOf(hunk[2]!)];
    // The note on a missing newline comes after the last counted line.
    const kind = hunk !== null ? "hunk" : text.startsWith("\\ ") ? "body" : "header";
    yield { kind, text };
  }
}

function lengthOf(range: string): number {
  const [, length = "1"] = range.split(",");
  return Number(length);
}
