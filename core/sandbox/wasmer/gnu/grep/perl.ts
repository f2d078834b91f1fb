import { GnuError } from "../call.ts";
import type { Searcher } from "./matcher.ts";

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "\\p{L}",
  digit: "0-9",
  alnum: "\\p{L}\\p{N}",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: "\\s",
  blank: " \\t",
  punct: "\\p{P}\\p{S}",
  xdigit: "0-9A-Fa-f",
  word: "\\w",
};

/**
 * A regular expression of Perl's as far as JavaScript has it.
 * @throws {GnuError} on what it has not, rather than to look for something else
 */
export function perl(pattern: string, ignoreCase: boolean): Searcher {
  const refused = (what: string): GnuError =>
    new GnuError(`-P: ${what} is not understood in the sandbox's grep`);
  let flags = ignoreCase ? "gi" : "g";
  let source = "";
  let isInBrackets = false;
  const [start = "", letters = ""] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  for (const letter of letters) if (!flags.includes(letter)) flags += letter;
  let kept: string | undefined;
  for (let at = start.length; at < pattern.length; at++) {
    const rest = pattern.slice(at);
    const [named = "", name = ""] = (isInBrackets && /^\[:(\w+):\]/.exec(rest)) || [];
    if (named !== "") {
      const known = CLASSES[name];
      if (known === undefined) throw refused(named);
      source += known;
      at += named.length - 1;
    } else if (pattern[at] === "\\") {
      const letter = pattern[++at];
      if (letter === undefined) throw new GnuError("\\ at end of pattern");
      if (letter === "h") source += isInBrackets ? " \\t" : "[ \\t]";
      else if (letter === "A" && !isInBrackets) source += "(?<![^])";
      else if ((letter === "z" || letter === "Z") && !isInBrackets) source += "(?![^])";
      else if (letter === "K" && !isInBrackets && kept === undefined) {
        kept = source;
        source = "";
      } else if (/[dDwWsSbBntrfvx0-9pPk]/.test(letter)) source += `\\${letter}`;
      else if (/[A-Za-z]/.test(letter)) throw refused(`\\${letter}`);
      else source += /[\\^$.*+?()[\]{}|/-]/.test(letter) ? `\\${letter}` : letter;
    } else if (isInBrackets) {
      isInBrackets = pattern[at] !== "]";
      source += pattern[at] === "[" ? "\\[" : pattern[at];
    } else if (pattern[at] === "[") {
      const [open = "["] = /^\[\^?\]?/.exec(rest) ?? [];
      source += open.endsWith("]") ? `${open.slice(0, -1)}\\]` : open;
      at += open.length - 1;
      isInBrackets = true;
    } else if (/^\(\?P</.test(rest)) {
      source += "(?<";
      at += 3;
    } else if (/^\(\?(?![:=!]|<)/.test(rest)) throw refused(rest.slice(0, 4));
    else if (/^[*+?}]\+/.test(rest)) throw refused(rest.slice(0, 2));
    else source += pattern[at];
  }
  try {
    const whole = kept === undefined ? source : `(?<=${kept})(?:${source})`;
    const regex = new RegExp(whole, /\\[pP]\{/.test(whole) ? `${flags}u` : flags);
    return {
      exec(text, from) {
        regex.lastIndex = from;
        return regex.exec(text);
      },
    };
  } catch {
    throw refused(`the regular expression ${pattern}`);
  }
}
