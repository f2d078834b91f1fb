/** One `@@` of a patch. Lines are bytes as text, with their sign before them and their line end, if they have one. */
export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
  /** As it stands in the patch, with its head, for a file of rejects. */
  readonly text: string;
}

export interface BinaryData {
  readonly kind: "literal" | "delta";
  readonly size: number;
  readonly lines: readonly string[];
}

/** What a patch does to one file. */
export interface FilePatch {
  /** Undefined for a file that is new. */
  readonly old?: string | undefined;
  /** Undefined for a file that goes. */
  readonly now?: string | undefined;
  readonly oldMode?: string | undefined;
  readonly newMode?: string | undefined;
  readonly isCopy?: boolean;
  readonly isRename?: boolean;
  /** Whether it has git's own head: then its names start at the top of the repository. */
  readonly isGit?: boolean;
  readonly hunks: readonly Hunk[];
  /** What makes the new content of the old, and the other way round; "missing" if the patch only says that it differs. */
  readonly binary?: readonly [BinaryData, BinaryData?] | "missing";
  /** The ids of both contents, as far as the patch gives them. */
  readonly ids?: readonly [string, string];
  /** What stands before the first hunk, from the end of the file before on. */
  readonly head: string;
  /** The line of its first hunk, from 1 on. */
  readonly line: number;
}

/** A patch that is no patch, at a line of it, from 1 on. */
export class BadPatch extends Error {
  override readonly name = "BadPatch";
}

/** The same patch the other way round. */
export function reversed(patch: FilePatch): FilePatch {
  const { old, now, oldMode, newMode, binary } = patch;
  const swapped = patch.hunks.map((hunk) => reversedHunk(hunk));
  return {
    ...patch,
    old: now,
    now: old,
    oldMode: newMode,
    newMode: oldMode,
    hunks: swapped,
    ...(patch.ids && { ids: [patch.ids[1], patch.ids[0]] as const }),
    ...(binary && binary !== "missing" && { binary: binary[1] ? [binary[1], binary[0]] : "missing" }),
  };
}

function reversedHunk({ oldStart, newStart, lines, text }: Hunk): Hunk {
  const sign: Readonly<Record<string, string>> = { "-": "+", "+": "-" };
  const turned = lines.map((line) => (sign[line[0]!] ?? line[0]!) + line.slice(1));
  return { oldStart: newStart, newStart: oldStart, lines: turned, text };
}
