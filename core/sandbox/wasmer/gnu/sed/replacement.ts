import { escaped } from "../regex.ts";
import type { Case, Piece } from "./script.ts";

/** What stands in the second part of `s`. */
export function parseReplacement(text: string): Piece[] {
  const pieces: Piece[] = [];
  const add = (more: string): void => {
    const last = pieces.at(-1);
    if (typeof last === "string") pieces[pieces.length - 1] = last + more;
    else pieces.push(more);
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === "&") pieces.push({ group: 0 });
    else if (char !== "\\") add(char);
    else {
      const next = text[++at] ?? "\\";
      const control = escaped(next, () => text.slice(at + 1));
      if (/\d/.test(next)) pieces.push({ group: Number(next) });
      else if (/[ULulE]/.test(next)) pieces.push({ case: next as Case });
      else if (control) {
        add(control.char);
        at += control.length;
      } else add(next);
    }
  }
  return pieces;
}

/** The replacement of one match. */
export function replaced(pieces: readonly Piece[], match: RegExpExecArray): string {
  let text = "";
  let whole: Case = "E";
  let next: Case = "E";
  for (const piece of pieces) {
    if (typeof piece === "object" && "case" in piece) {
      if (piece.case === "u" || piece.case === "l") next = piece.case;
      else {
        whole = piece.case;
        next = "E";
      }
      continue;
    }
    let part = typeof piece === "string" ? piece : (match[piece.group] ?? "");
    if (part === "") continue;
    if (whole !== "E") part = whole === "U" ? part.toUpperCase() : part.toLowerCase();
    if (next !== "E") {
      const first = String.fromCodePoint(part.codePointAt(0)!);
      part = (next === "u" ? first.toUpperCase() : first.toLowerCase()) + part.slice(first.length);
      next = "E";
    }
    text += part;
  }
  return text;
}
