import { GnuError } from "../call.ts";
import type { Options } from "../options.ts";
import { decode, encode, NO_TEXT } from "../text.ts";
import type { Matcher } from "./matcher.ts";

/** Writes what was found, file by file. */
export class Report {
  hasMatch = false;
  /** No more files need be looked at. */
  isOver = false;
  warnings = "";
  readonly #options: Options;
  readonly #withNames: boolean;
  readonly #before: number;
  readonly #after: number;
  readonly #max: number;
  readonly #lineEnd: string;
  readonly #separator: string | undefined;
  readonly #out: string[] = [];
  #hasWritten = false;

  constructor(options: Options, isSeveral: boolean) {
    const { given, has, value } = options;
    this.#options = options;
    const named = given.findLast(([flag]) => flag === "-H" || flag === "-h")?.[0];
    this.#withNames = named ? named === "-H" : isSeveral;
    const context = count(value("-C"), 0, "context length argument");
    this.#before = has("-o") ? 0 : count(value("-B"), context, "context length argument");
    this.#after = has("-o") ? 0 : count(value("-A"), context, "context length argument");
    this.#max = count(value("-m"), Infinity, "max count");
    this.#lineEnd = has("-z") ? "\0" : "\n";
    const separators = has("-A", "-B", "-C") && !has("--no-group-separator");
    this.#separator = separators ? (value("--group-separator") ?? "--") : undefined;
    const color = value("--color");
    if (color !== undefined && !/^(never|auto|no|none|tty|if-tty)$/.test(color))
      throw new GnuError(`--color=${color} is not in the sandbox's grep: there are no colours`);
  }

  /** Whether files without a match are told too. */
  get countsAll(): boolean {
    return this.#options.has("-c", "-L");
  }

  written(): Buffer {
    return encode(this.#out.join(""));
  }

  file(name: string, content: Uint8Array, matcher: Matcher): void {
    const { has, value } = this.#options;
    const isText = has("-a", "-U") || value("--binary-files") === "text";
    const skips = has("-I") || value("--binary-files") === "without-match";
    const text = decode(content);
    const isBinary = !isText && !has("-z") && text.includes("\0");
    if (isBinary && skips) {
      this.#end(name, 0);
      return;
    }
    const onlyCounts = has("-q", "-l", "-L", "-c");
    const lines = new FileLines(this, name, { isBinary, isText, skips });
    let numMatches = 0;
    let lineNumber = 0;
    for (let start = 0; start < text.length && numMatches < this.#max; ) {
      let end = text.indexOf(this.#lineEnd, start);
      if (end === -1) end = text.length;
      const line = text.slice(start, end);
      lineNumber++;
      const found = { line, number: lineNumber, at: has("-b") ? encode(text.slice(0, start)).length : 0 };
      if (matcher.isIn(line) !== has("-v")) {
        numMatches++;
        this.hasMatch ||= !has("-L");
        if (has("-q") || has("-l") || has("-L")) break;
        if (!onlyCounts && !lines.match(found, matcher)) break;
      } else if (!onlyCounts) lines.other(found);
      start = end + 1;
      if (numMatches >= this.#max && !onlyCounts) lines.trail(text, start, lineNumber);
    }
    this.#end(name, numMatches);
  }

  /** What is told of a file as a whole. */
  #end(name: string, numMatches: number): void {
    const { has } = this.#options;
    const nameEnd = has("-Z") ? "\0" : "\n";
    if (has("-q")) this.isOver = this.hasMatch;
    else if (has("-L")) {
      if (numMatches === 0) {
        this.#out.push(name + nameEnd);
        this.hasMatch = true;
      }
    } else if (has("-l")) {
      if (numMatches > 0) this.#out.push(name + nameEnd);
    } else if (has("-c")) {
      const before = this.#withNames ? name + (has("-Z") ? "\0" : ":") : "";
      this.#out.push(`${before}${numMatches}\n`);
    }
  }

  get context(): { readonly before: number; readonly after: number } {
    return { before: this.#before, after: this.#after };
  }

  get options(): Options {
    return this.#options;
  }

  get lineEnd(): string {
    return this.#lineEnd;
  }

  separate(): void {
    if (this.#hasWritten && this.#separator !== undefined) this.#out.push(`${this.#separator}\n`);
  }

  /** @param mark `:` of a match, `-` of a line beside one */
  line(name: string, { line, number, at }: FoundLine, mark: string): void {
    const { has } = this.#options;
    this.#hasWritten = true;
    let head = this.#withNames ? name + (has("-Z") ? "\0" : mark) : "";
    if (has("-n")) head += number + mark;
    if (has("-b")) head += at + mark;
    this.#out.push(head + line + this.#lineEnd);
  }
}

interface FoundLine {
  readonly line: string;
  readonly number: number;
  /** Where it begins, in bytes; known only if it is to be shown. */
  readonly at: number;
}

interface FileKind {
  readonly isBinary: boolean;
  /** Whether it is shown whatever is in it. */
  readonly isText: boolean;
  /** Whether nothing is said of a binary one. */
  readonly skips: boolean;
}

/** Of one file: which lines are written. */
class FileLines {
  readonly #report: Report;
  readonly #name: string;
  readonly #kind: FileKind;
  #before: FoundLine[] = [];
  #lastWritten = 0;
  #numAfter = 0;
  #isTold = false;

  constructor(report: Report, name: string, kind: FileKind) {
    this.#report = report;
    this.#name = name;
    this.#kind = kind;
  }

  /** @returns false if no more of the file is to be shown. */
  match(found: FoundLine, matcher: Matcher): boolean {
    const { has } = this.#report.options;
    const { isBinary, isText, skips } = this.#kind;
    if (isBinary || (!isText && NO_TEXT.test(found.line))) {
      if (!skips && !this.#isTold) this.#report.warnings += `grep: ${this.#name}: binary file matches\n`;
      this.#isTold = true;
      return !isBinary;
    }
    if (has("-o")) {
      if (!has("-v")) this.#parts(found, matcher);
      return true;
    }
    const first = this.#before[0]?.number ?? found.number;
    if (first > this.#lastWritten + 1) this.#report.separate();
    for (const each of this.#before.splice(0)) this.#report.line(this.#name, each, "-");
    this.#report.line(this.#name, found, ":");
    this.#lastWritten = found.number;
    this.#numAfter = this.#report.context.after;
    return true;
  }

  /** A line without a match. */
  other(found: FoundLine): void {
    const { before } = this.#report.context;
    if (this.#numAfter > 0) {
      this.#numAfter--;
      this.#report.line(this.#name, found, "-");
      this.#lastWritten = found.number;
    } else if (before > 0) {
      this.#before.push(found);
      if (this.#before.length > before) this.#before.shift();
    }
  }

  /** The lines behind the last match that `-m` lets through. */
  trail(text: string, from: number, lineNumber: number): void {
    const { lineEnd } = this.#report;
    let start = from;
    for (let number = lineNumber + 1; this.#numAfter > 0 && start < text.length; number++) {
      let end = text.indexOf(lineEnd, start);
      if (end === -1) end = text.length;
      const line = text.slice(start, end);
      this.other({ line, number, at: encode(text.slice(0, start)).length });
      start = end + 1;
    }
  }

  #parts({ line, number, at }: FoundLine, matcher: Matcher): void {
    for (let from = 0; from <= line.length; ) {
      const span = matcher.find(line, from);
      if (!span) return;
      if (span.end > span.start) {
        const part = {
          line: line.slice(span.start, span.end),
          number,
          at: at + encode(line.slice(0, span.start)).length,
        };
        this.#report.line(this.#name, part, ":");
      }
      from = Math.max(span.end, span.start + 1);
    }
  }
}

function count(given: string | undefined, otherwise: number, what: string): number {
  if (given === undefined) return otherwise;
  if (!/^\d+$/.test(given)) throw new GnuError(`${given}: invalid ${what}`);
  return Number(given);
}
