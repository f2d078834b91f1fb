import { classOf } from "./bracket.ts";
import { GnuError } from "./call.ts";

export interface RegexOptions {
  /** ERE rather than BRE. */
  readonly extended: boolean;
  readonly ignoreCase?: boolean;
  /** Whether `^` and `$` are at line ends too, as with sed's `M`. */
  readonly multiline?: boolean;
  /** Whether `\n`, `\t` and their like are characters, as in sed. */
  readonly escapes?: boolean;
}

/** Stands for the end of a match that is tried, see `Regex.longest`. */
const END = "\ue000";

/** A regular expression of POSIX, with GNU's additions, on top of JavaScript's. */
export class Regex {
  readonly numGroups: number;
  readonly #plain: RegExp;
  readonly #ended: string | undefined;
  readonly #flags: string;
  #byEnd: RegExp | undefined;

  /** @throws {GnuError} with GNU's message if it is malformed, or ours if it is not understood */
  constructor(text: string, options: RegexOptions) {
    const plain = new Translation(text, options, false);
    this.#flags = options.ignoreCase ? "iu" : "u";
    this.#plain = compiled(plain.source, `${this.#flags}g`);
    this.numGroups = plain.numGroups;
    if (plain.hasChoice) this.#ended = new Translation(text, options, true).source;
  }

  test(text: string): boolean {
    this.#plain.lastIndex = 0;
    return this.#plain.test(text);
  }

  /** The leftmost match from here on, and of those at its place the longest, as POSIX has it. */
  exec(text: string, from: number): RegExpExecArray | null {
    this.#plain.lastIndex = from;
    const match = this.#plain.exec(text);
    return match && this.#ended !== undefined ? this.#longest(text, match, this.#ended) : match;
  }

  /** JavaScript takes the first alternative that fits: a match of each greater length is tried. */
  #longest(text: string, first: RegExpExecArray, source: string): RegExpExecArray {
    this.#byEnd ??= compiled(`(?:${source})(?=${END})`, `${this.#flags}y`);
    for (let end = text.length; end > first.index + first[0].length; end--) {
      this.#byEnd.lastIndex = first.index;
      const longer = this.#byEnd.exec(text.slice(0, end) + END + text.slice(end));
      if (longer && longer.index + longer[0].length === end) return longer;
    }
    return first;
  }
}

function compiled(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    throw new GnuError("this regular expression is not understood in the sandbox");
  }
}

const WORD = "[\\p{L}\\p{N}_]";

const CONTROL: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", a: "\x07" };

class Translation {
  source = "";
  numGroups = 0;
  /** Whether JavaScript may find another match than the longest. */
  hasChoice = false;
  readonly #text: string;
  readonly #options: RegexOptions;
  /** What may stand between a place and what follows it. */
  readonly #gap: string;
  #at = 0;
  #depth = 0;
  /** Of the groups that are closed. */
  readonly #closed = new Set<number>();

  get #isSed(): boolean {
    return this.#options.escapes === true;
  }

  /** grep takes an odd `)` or `{` of an ERE for itself. */
  get #isStrict(): boolean {
    return !this.#options.extended || this.#isSed;
  }

  constructor(text: string, options: RegexOptions, byEnd: boolean) {
    this.#text = text;
    this.#options = options;
    this.#gap = byEnd ? `${END}?` : "";
    this.source = this.#choice();
    if (this.#at < text.length) throw new GnuError("Unmatched ) or \\)");
  }

  #choice(): string {
    const branches = [this.#branch()];
    while (this.#takes("|")) {
      this.hasChoice = true;
      branches.push(this.#branch());
    }
    return branches.join("|");
  }

  /** Takes an operator: `|` of an ERE, which in a BRE is `\|`. */
  #takes(operator: string): boolean {
    const written = this.#options.extended ? operator : `\\${operator}`;
    if (!this.#text.startsWith(written, this.#at)) return false;
    this.#at += written.length;
    return true;
  }

  #sees(operator: string): boolean {
    return this.#text.startsWith(this.#options.extended ? operator : `\\${operator}`, this.#at);
  }

  #branch(): string {
    let source = "";
    let isFirst = true;
    while (this.#at < this.#text.length && !this.#sees("|")) {
      if (this.#sees(")") && (this.#depth > 0 || this.#isStrict)) break;
      const atom = this.#atom(isFirst);
      isFirst = atom.isAnchor && !this.#options.extended;
      source +=
        atom.isAnchor && !this.#options.extended
          ? atom.source
          : this.#repeated(atom.source, /^(\^|\(\?(:\(\?<)?[<=!])/.test(atom.source));
    }
    return source;
  }

  #atom(isFirst: boolean): { readonly source: string; readonly isAnchor: boolean } {
    const { extended, multiline } = this.#options;
    const anchor = (source: string) => ({ source, isAnchor: true });
    const atom = (source: string) => ({ source, isAnchor: false });
    if (this.#takes("(")) {
      const number = ++this.numGroups;
      this.#depth++;
      const inner = this.#choice();
      if (!this.#takes(")")) throw new GnuError("Unmatched ( or \\(");
      this.#depth--;
      this.#closed.add(number);
      return atom(`(${inner})`);
    }
    const char = this.#char();
    if (char === "[") return atom(this.#bracket());
    if (char === ".") return atom("[^\\udc80-\\udcff]");
    if (char === "^" && (extended || isFirst)) return anchor(multiline ? "(?<![^\\n])" : "^");
    if (char === "$" && (extended || this.#isAtEnd()))
      return anchor(multiline ? `(?!${this.#gap}[^\\n])` : this.#gap ? `(?=${this.#gap}$)` : "$");
    if (extended && isFirst && "*+?{".includes(char)) {
      if (this.#isStrict) throw new GnuError("Invalid preceding regular expression");
      return atom(char === "{" ? "\\{" : "(?:)");
    }
    if (char === "\\") return this.#escape();
    return atom(literal(char));
  }

  #isAtEnd(): boolean {
    return this.#at === this.#text.length || this.#sees(")") || this.#sees("|");
  }

  #char(): string {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at)!);
    this.#at += char.length;
    return char;
  }

  #escape(): { readonly source: string; readonly isAnchor: boolean } {
    if (this.#at === this.#text.length) throw new GnuError("Trailing backslash");
    const char = this.#char();
    const after = (source: string): string => `${this.#gap}${source}`;
    const word: Readonly<Record<string, string>> = {
      w: WORD,
      W: `[^${WORD.slice(1)}`,
      s: "[\\s]",
      S: "[^\\s]",
      b: `(?:(?<=${WORD})(?!${after(WORD)})|(?<!${WORD})(?=${after(WORD)}))`,
      B: `(?:(?<=${WORD})(?=${after(WORD)})|(?<!${WORD})(?!${after(WORD)}))`,
      "<": `(?<!${WORD})(?=${after(WORD)})`,
      ">": `(?<=${WORD})(?!${after(WORD)})`,
      "`": "(?<![^])",
      "'": `(?!${after("[^]")})`,
    };
    if (word[char] !== undefined) return { source: word[char], isAnchor: false };
    if (/[1-9]/.test(char)) {
      if (!this.#closed.has(Number(char))) throw new GnuError("Invalid back reference");
      return { source: `(?:\\${char})`, isAnchor: false };
    }
    if (this.#options.escapes) {
      const control = escaped(char, () => this.#text.slice(this.#at));
      if (control) {
        this.#at += control.length;
        return { source: literal(control.char), isAnchor: false };
      }
    }
    if (char === "{" && !this.#options.extended) throw new GnuError("Invalid preceding regular expression");
    return { source: literal(char), isAnchor: false };
  }

  #bracket(): string {
    const { source, length } = classOf(this.#text.slice(this.#at), this.#options.escapes === true);
    this.#at += length;
    return source;
  }

  /** The atom with the `*`, `+`, `?` and `{n,m}` that follow. */
  #repeated(atom: string, isPlace: boolean): string {
    let source = atom;
    for (;;) {
      const bounds = this.#bounds();
      if (bounds === undefined) return source;
      const isAgain = !this.#options.extended && source !== atom && /^[*{]/.test(bounds);
      const isOdd = isAgain || (isPlace && (atom === "^" || bounds.startsWith("{")));
      if (isOdd && this.#isSed) throw new GnuError("Invalid preceding regular expression");
      if (atom.startsWith("(") && atom !== "(?:)") this.hasChoice = true;
      source = `(?:${source})${bounds}`;
    }
  }

  #bounds(): string | undefined {
    if (this.#text[this.#at] === "*") {
      this.#at++;
      return "*";
    }
    for (const operator of ["+", "?"]) if (this.#takes(operator)) return operator;
    const { extended } = this.#options;
    const pattern = extended ? /^\{(\d*)(,?)(\d*)\}/ : /^\\\{(\d*)(,?)(\d*)\\\}/;
    const [all, min = "", comma, max = ""] = pattern.exec(this.#text.slice(this.#at)) ?? [];
    if (all === undefined || (min === "" && comma === "")) {
      if (!extended && this.#sees("{"))
        throw new GnuError(
          this.#text.includes("\\}", this.#at) ? "Invalid content of \\{\\}" : "Unmatched \\{",
        );
      return undefined;
    }
    this.#at += all.length;
    const [low, high] = [Number(min), max === "" ? low0(min, comma) : Number(max)];
    if (low > high) throw new GnuError("Invalid content of \\{\\}");
    if (low > 32767 || (high !== Infinity && high > 32767)) throw new GnuError("Regular expression too big");
    return high === Infinity ? `{${low},}` : `{${low},${high}}`;
  }
}

/** The upper bound of `{n}` and of `{n,}`. */
function low0(min: string, comma: string | undefined): number {
  return comma === "," ? Infinity : Number(min);
}

/** A character that sed writes with a backslash and a letter, and how much follows the letter. */
export function escaped(
  letter: string,
  rest: () => string,
): { readonly char: string; readonly length: number } | undefined {
  const control = CONTROL[letter];
  if (control !== undefined) return { char: control, length: 0 };
  const numbers = { d: /^\d{1,3}/, o: /^[0-7]{1,3}/, x: /^[0-9A-Fa-f]{1,2}/ };
  if (letter === "d" || letter === "o" || letter === "x") {
    const digits = numbers[letter].exec(rest())?.[0];
    if (digits === undefined) return undefined;
    const code = Number.parseInt(digits, { d: 10, o: 8, x: 16 }[letter]);
    if (code > 0x7f)
      throw new GnuError(`\\${letter}${digits}: bytes beyond 127 are not understood in the sandbox`);
    return { char: String.fromCharCode(code), length: digits.length };
  }
  const control2 = letter === "c" ? /^[@-_a-z?]/.exec(rest())?.[0] : undefined;
  if (control2 === undefined) return undefined;
  return { char: String.fromCharCode(control2.toUpperCase().charCodeAt(0) ^ 0x40), length: 1 };
}

export function literal(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
