import type { FilePatch, Hunk } from "../git/apply/patch-file.ts";
import { reversed } from "../git/apply/patch-file.ts";
import { sidesOf } from "../git/apply/place.ts";
import { locate, locateWith, type Place } from "./locate.ts";

export interface PatchRules {
  readonly maxFuzz: number;
  /** A patch that was applied before is left out. */
  readonly forward: boolean;
  /** A patch that was applied before is taken back. */
  readonly batch: boolean;
  /** Nothing is guessed. */
  readonly force: boolean;
  readonly isReversed: boolean;
}

export interface Patched {
  readonly patch: FilePatch;
  readonly lines: readonly string[];
  readonly failed: readonly Hunk[];
  /** Whether the failed ones were not even tried. */
  readonly isSkipped: boolean;
  /** Whether a hunk was not exactly where it said. */
  readonly isMismatched: boolean;
}

/** Puts a patch into a text, in the way and the words of GNU patch 2.7. */
export function patchText(
  image: readonly string[],
  given: FilePatch,
  rules: PatchRules,
  say: (text: string) => void,
): Patched {
  let patch = given;
  const [first] = patch.hunks;
  let isTurned = false;
  if (first && !rules.force && !fits(image, first, rules.maxFuzz)) {
    const turned = reversed(patch);
    if (fitsExactly(image, turned.hunks[0]!)) {
      say(`${rules.isReversed ? "Unreversed" : "Reversed (or previously applied)"} patch detected!`);
      if (rules.forward || !rules.batch) {
        say("  Skipping patch.\n");
        return { patch, lines: image, failed: patch.hunks, isSkipped: true, isMismatched: true };
      }
      say(rules.isReversed ? "  Ignoring -R.\n" : "  Assuming -R.\n");
      patch = turned;
      isTurned = true;
    }
  }
  const result: string[] = [];
  const failed: Hunk[] = [];
  let [used, lastOffset, isMismatched] = [0, 0, isTurned];
  for (const [at, hunk] of patch.hunks.entries()) {
    const place = locate(image, hunk, rules.maxFuzz, lastOffset, used);
    if (!place) {
      say(`Hunk #${at + 1} FAILED at ${hunk.oldStart || 1}.\n`);
      failed.push(hunk);
      isMismatched = true;
      continue;
    }
    const numGrown = result.length - used;
    used = put(image, hunk, place, used, result);
    if (place.fuzz > 0 || place.offset !== 0) {
      isMismatched = true;
      say(`Hunk #${at + 1} succeeded at ${place.line + numGrown}${where(place)}.\n`);
    }
    lastOffset = place.offset;
  }
  result.push(...image.slice(used));
  return { patch, lines: result, failed, isSkipped: false, isMismatched };
}

function where({ fuzz, offset }: Place): string {
  const lines = offset === 0 ? "" : ` (offset ${offset} line${offset === 1 ? "" : "s"})`;
  return `${fuzz > 0 ? ` with fuzz ${fuzz}` : ""}${lines}`;
}

/** Context stays as it is in the text. @returns how many of its lines are used. */
function put(image: readonly string[], hunk: Hunk, { line }: Place, used: number, result: string[]): number {
  let at = line - 1;
  result.push(...image.slice(used, at));
  for (const signed of hunk.lines) {
    if (signed[0] === "+") result.push(signed.slice(1));
    else {
      if (signed[0] === " ") result.push(...image.slice(at, at + 1));
      at++;
    }
  }
  return Math.min(at, image.length);
}

function fits(image: readonly string[], hunk: Hunk, maxFuzz: number): boolean {
  return locate(image, hunk, maxFuzz, 0, 0) !== undefined;
}

function fitsExactly(image: readonly string[], hunk: Hunk): boolean {
  return locateWith(image, hunk, sidesOf(hunk), 0, 0, 0) !== undefined;
}
