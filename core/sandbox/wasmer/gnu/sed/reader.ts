import { GnuError } from "../call.ts";

/** A script as it is read. */
export class Reader {
  /** The character taken last. */
  last = "";
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The next character, empty at the end. */
  get peek(): string {
    return this.#text[this.#at] ?? "";
  }

  /** What is left. */
  get ahead(): string {
    return this.#text.slice(this.#at);
  }

  drop(length: number): void {
    this.#at += length;
  }

  take(): string {
    this.last = this.peek;
    this.#at += this.last.length;
    return this.last;
  }

  /** Takes what a sticky pattern matches. */
  skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken = ""] = pattern.exec(this.#text) ?? [];
    this.#at += taken.length;
    return taken;
  }

  /**
   * Takes what stands before a delimiter, and it. A delimiter behind a backslash loses that, and one in the brackets
   * of a regular expression does not count; other backslashes are left.
   */
  delimited(delimiter: string, isRegex: boolean, unterminated: string): string {
    if (delimiter === "\n" || delimiter === "\\" || delimiter === "") throw this.error(unterminated);
    let text = "";
    for (;;) {
      if (this.isAtEnd) throw this.error(unterminated);
      const char = this.take();
      if (char === delimiter) return text;
      if (char === "\n") throw this.error(unterminated, this.#at - 1);
      if (char === "\\") {
        if (this.isAtEnd) throw this.error(unterminated);
        const next = this.take();
        if (next === "\n" && isRegex) text += next;
        else if (next !== delimiter) text += char + next;
        else if (isRegex) text += isSpecial(delimiter) ? `[${delimiter}]` : delimiter;
        else text += delimiter === "&" ? "\\&" : delimiter;
      } else if (char === "[" && isRegex) text += char + this.#bracket();
      else text += char;
    }
  }

  /** The rest of a bracket expression, if it has an end. */
  #bracket(): string {
    return this.skip(/\^?\]?(?:\[[:.=][^\n]*?[:.=]\]|[^\]\n])*\]/y);
  }

  /** An error at the place reached, or at another. */
  error(message: string, at: number = this.#at): GnuError {
    return new GnuError(`-e expression #1, char ${at}: ${message}`, 1);
  }
}

/** Whether a character that a backslash made itself again would mean something without it. */
function isSpecial(char: string): boolean {
  return "*.$+?|".includes(char);
}
