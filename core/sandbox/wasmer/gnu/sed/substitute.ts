import type { Regex } from "../regex.ts";
import { replaced } from "./replacement.ts";
import type { Substitution } from "./script.ts";

/** The text with the matches replaced; undefined if none was. */
export function substituted(
  text: string,
  { pieces, isGlobal, first }: Substitution,
  regex: Regex,
): string | undefined {
  let result = "";
  let at = 0;
  let count = 0;
  let isDone = false;
  /** Where a match ended: no empty one begins there. */
  let lastEnd = -1;
  while (at <= text.length) {
    const match = regex.exec(text, at);
    if (!match) break;
    const end = match.index + match[0].length;
    result += text.slice(at, match.index);
    if (match[0] !== "" || match.index !== lastEnd) {
      count++;
      result += count < first ? match[0] : replaced(pieces, match);
      isDone ||= count >= first;
      lastEnd = end;
    }
    at = end;
    if (isDone && !isGlobal) break;
    if (match[0] === "") {
      const char = at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : "";
      result += char;
      at += Math.max(char.length, 1);
    }
  }
  return isDone ? result + text.slice(at) : undefined;
}
