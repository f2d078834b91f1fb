import { GnuError } from "../call.ts";
import type { Options } from "../options.ts";
import { literal, Regex } from "../regex.ts";
import { perl } from "./perl.ts";

/** A place in a line. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What `Matcher` needs of a regular expression. */
export interface Searcher {
  exec(text: string, from: number): RegExpExecArray | null;
}

const WORD = /[\p{L}\p{N}_]/u;

/** What is looked for: several patterns, in one of four syntaxes. */
export class Matcher {
  readonly #searchers: readonly Searcher[];
  readonly #isWord: boolean;
  readonly #isLine: boolean;
  /** If the patterns are no more than text. */
  readonly #texts: readonly string[] | undefined;

  /** @throws {GnuError} with GNU's message if a pattern is malformed */
  constructor(patterns: readonly string[], { given, has }: Options) {
    const syntax = given.findLast(([flag]) => /^-[EFGP]$/.test(flag))?.[0] ?? "-G";
    const cased = given.findLast(([flag]) => ["-i", "-y", "--no-ignore-case"].includes(flag))?.[0];
    const ignoreCase = cased === "-i" || cased === "-y";
    this.#isWord = has("-w") && !has("-x");
    this.#isLine = has("-x");
    if (syntax === "-P" && patterns.length > 1)
      throw new GnuError("the -P option only supports a single pattern");
    this.#searchers = patterns.map((pattern) => {
      if (syntax === "-P") return perl(pattern, ignoreCase);
      // Several patterns are one choice, but a group's number is its pattern's own.
      if (syntax === "-F") return new Regex(literal(pattern), { extended: true, ignoreCase });
      return new Regex(pattern, { extended: syntax === "-E", ignoreCase });
    });
    const isText =
      syntax === "-F" || (syntax !== "-P" && patterns.every((each) => !/[\\^$.*+?()[\]{}|]/.test(each)));
    if (isText && !ignoreCase && !has("-v") && !patterns.includes("")) this.#texts = patterns;
  }

  /** Whether a look at the bytes is enough to say that nothing matches. */
  isWithout(content: Uint8Array): boolean {
    if (!this.#texts) return false;
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
    return this.#texts.every((text) => !bytes.includes(text));
  }

  isIn(line: string): boolean {
    return this.find(line, 0) !== undefined;
  }

  /** The leftmost match from a place on, and of those the longest. */
  find(line: string, from: number): Span | undefined {
    let best: Span | undefined;
    for (const searcher of this.#searchers) {
      const span = this.#one(searcher, line, from);
      if (!span) continue;
      const isBetter = !best || span.start < best.start || (span.start === best.start && span.end > best.end);
      if (isBetter) best = span;
    }
    return best;
  }

  #one(searcher: Searcher, line: string, from: number): Span | undefined {
    if (this.#isLine) {
      const match = searcher.exec(line, 0);
      if (from > 0 || match?.index !== 0) return undefined;
      return match[0].length === line.length ? { start: 0, end: line.length } : undefined;
    }
    for (let start = from; start <= line.length; start++) {
      const match = searcher.exec(line, start);
      if (!match) return undefined;
      const span = { start: match.index, end: match.index + match[0].length };
      if (!this.#isWord) return span;
      // As GNU's: a match that is no word is shortened, then looked for further on.
      for (let end = span.end; end >= span.start; end--) {
        if (!isWordIn(line, span.start, end)) continue;
        const again = searcher.exec(line.slice(0, end), span.start);
        if (again?.index === span.start && again[0].length === end - span.start)
          return { start: span.start, end };
      }
      start = span.start;
    }
    return undefined;
  }
}

function isWordIn(line: string, start: number, end: number): boolean {
  return !WORD.test(line[start - 1] ?? "") && !WORD.test(line[end] ?? "");
}
