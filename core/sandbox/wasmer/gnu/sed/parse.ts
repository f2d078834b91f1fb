import { GnuError } from "../call.ts";
import { Regex } from "../regex.ts";
import { Reader } from "./reader.ts";
import { parseReplacement } from "./replacement.ts";
import type { Address, Command, RangeEnd, Substitution } from "./script.ts";
import { textOf } from "./text-argument.ts";

/** @throws {GnuError} with GNU's message, or ours for what this sed does not do */
export function parseScript(text: string, extended: boolean): Command[] {
  return new Parser(text, extended).all();
}

const NO_ADDRESS = "}:";

class Parser {
  readonly #reader: Reader;
  readonly #extended: boolean;
  readonly #commands: Command[] = [];
  readonly #open: Command[] = [];
  readonly #labels = new Map<string, number>();

  constructor(text: string, extended: boolean) {
    this.#reader = new Reader(text);
    this.#extended = extended;
  }

  all(): Command[] {
    for (;;) {
      this.#reader.skip(/[\s;]*/y);
      if (this.#reader.isAtEnd) break;
      this.#one();
    }
    if (this.#open.length > 0) throw this.#reader.error("unmatched `{'", 0);
    for (const command of this.#commands) {
      if (command.label === undefined) continue;
      const target = command.label === "" ? this.#commands.length : this.#labels.get(command.label);
      if (target === undefined) throw new GnuError(`can't find label for jump to \`${command.label}'`, 4);
      command.target = target;
    }
    return this.#commands;
  }

  #one(): void {
    const reader = this.#reader;
    const from = this.#address();
    let to: RangeEnd | undefined;
    reader.skip(/[ \t]*/y);
    if (from && reader.peek === ",") {
      reader.take();
      reader.skip(/[ \t]*/y);
      to = this.#rangeEnd();
      if (!to) throw reader.error("unexpected `,'");
    }
    reader.skip(/[ \t]*/y);
    const isNegated = reader.peek === "!";
    reader.skip(/[! \t]*/y);
    if (reader.isAtEnd) throw reader.error("missing command");
    const name = reader.take();
    if (from?.kind === "line" && from.line === 0 && to?.kind !== "regex")
      throw reader.error("invalid usage of line address 0");
    if (from && NO_ADDRESS.includes(name))
      throw reader.error(name === ":" ? ": doesn't want any addresses" : `} doesn't want any addresses`);
    if (name === "#") {
      if (from) throw reader.error("comments don't accept any addresses");
      reader.skip(/[^\n]*/y);
      return;
    }
    this.#command(name, { name, from, to, isNegated, target: -1 });
  }

  #command(name: string, base: Command): void {
    const reader = this.#reader;
    const add = (command: Command): void => {
      this.#commands.push(command);
    };
    if (name === "{") {
      add(base);
      this.#open.push(base);
    } else if (name === "}") {
      const open = this.#open.pop();
      if (!open) throw reader.error("unexpected `}'");
      open.target = this.#commands.length;
      this.#end();
    } else if (name === ":") {
      reader.skip(/[ \t]*/y);
      const label = reader.skip(/[^\s;]*/y);
      if (label === "") throw reader.error('":" lacks a label');
      this.#labels.set(label, this.#commands.length);
      this.#end();
    } else if ("btT".includes(name)) {
      reader.skip(/[ \t]*/y);
      add({ ...base, label: reader.skip(/[^\s;}]*/y) });
      this.#end();
    } else if ("aic".includes(name)) add({ ...base, text: textOf(reader) });
    else if ("rRwW".includes(name)) {
      reader.skip(/[ \t]*/y);
      const file = reader.skip(/[^\n]*/y);
      if (file === "") throw reader.error("missing filename in r/R/w/W commands");
      add({ ...base, file });
    } else if ("qQl".includes(name)) {
      reader.skip(/[ \t]*/y);
      const digits = reader.skip(/\d*/y);
      if (base.to && name !== "l") throw reader.error("command only uses one address");
      add({ ...base, number: digits === "" ? undefined : Number(digits) });
      this.#end();
    } else if (name === "s") {
      add({ ...base, substitution: this.#substitution() });
    } else if (name === "y") {
      add({ ...base, letters: this.#letters() });
      this.#end();
    } else if ("=dDFgGhHnNpPxz".includes(name)) {
      add(base);
      this.#end();
    } else if (name === "e" || name === "v") {
      throw new GnuError(`the command \`${name}' is not in the sandbox's sed`, 1);
    } else throw reader.error(`unknown command: \`${name}'`);
  }

  /** What may follow a command. */
  #end(): void {
    const reader = this.#reader;
    reader.skip(/[ \t]*/y);
    if (reader.isAtEnd || reader.peek === "}" || reader.peek === "#") return;
    const next = reader.take();
    if (next !== ";" && next !== "\n") throw reader.error("extra characters after command");
  }

  #address(): Address | undefined {
    const reader = this.#reader;
    const digits = reader.skip(/\d*/y);
    if (digits !== "") {
      const step = reader.skip(/[ \t]*~[ \t]*\d*/y);
      if (step === "") return { kind: "line", line: Number(digits) };
      return { kind: "step", first: Number(digits), step: Number(step.replace(/[ \t~]/g, "")) };
    }
    if (reader.peek === "$") {
      reader.take();
      return { kind: "last" };
    }
    if (reader.peek !== "/" && reader.peek !== "\\") return undefined;
    if (reader.take() === "\\") reader.take();
    const regex = reader.delimited(reader.last, true, "unterminated address regex");
    let [ignoreCase, multiline] = [false, false];
    for (const flag of reader.skip(/[IM]*/y)) {
      if (flag === "I") ignoreCase = true;
      else multiline = true;
    }
    return { kind: "regex", regex: this.#regex(regex, ignoreCase, multiline) };
  }

  #rangeEnd(): RangeEnd | undefined {
    const relative = this.#reader.skip(/[+~]\d+/y);
    if (relative === "") return this.#address();
    const count = Number(relative.slice(1));
    return relative.startsWith("+") ? { kind: "more", count } : { kind: "multiple", of: count };
  }

  #regex(text: string, ignoreCase: boolean, multiline: boolean): Regex | undefined {
    if (text === "") return undefined;
    try {
      return new Regex(text, { extended: this.#extended, ignoreCase, multiline, escapes: true });
    } catch (error) {
      throw error instanceof GnuError ? this.#reader.error(error.message) : error;
    }
  }

  #substitution(): Substitution {
    const reader = this.#reader;
    const delimiter = reader.take();
    const [text, by] = [
      reader.delimited(delimiter, true, "unterminated `s' command"),
      reader.delimited(delimiter, false, "unterminated `s' command"),
    ];
    let [isGlobal, first, prints, ignoreCase, multiline] = [false, 0, false, false, false];
    let file: string | undefined;
    for (;;) {
      const flag = reader.skip(/\d+|[a-zA-Z]/y);
      if (flag === "") break;
      if (flag === "g") {
        if (isGlobal) throw reader.error("multiple `g' options to `s' command");
        isGlobal = true;
      } else if (flag === "p") {
        if (prints) throw reader.error("multiple `p' options to `s' command");
        prints = true;
      } else if (/\d/.test(flag)) {
        if (first > 0) throw reader.error("multiple number options to `s' command");
        first = Number(flag);
        if (first === 0) throw reader.error("number option to `s' command may not be zero");
      } else if (flag === "i" || flag === "I") ignoreCase = true;
      else if (flag === "m" || flag === "M") multiline = true;
      else if (flag === "w") {
        reader.skip(/[ \t]*/y);
        file = reader.skip(/[^\n]*/y);
        if (file === "") throw reader.error("missing filename in r/R/w/W commands");
      } else if (flag === "e") throw new GnuError("the flag `e' of `s' is not in the sandbox's sed", 1);
      else throw reader.error("unknown option to `s'");
    }
    reader.skip(/[ \t]*/y);
    if (!reader.isAtEnd && !"}#;\n".includes(reader.peek)) {
      reader.take();
      throw reader.error("unknown option to `s'");
    }
    const regex = this.#regex(text, ignoreCase, multiline);
    const pieces = parseReplacement(by);
    for (const piece of pieces) {
      if (typeof piece === "object" && "group" in piece && regex && piece.group > regex.numGroups)
        throw reader.error(`invalid reference \\${piece.group} on \`s' command's RHS`);
    }
    return { regex, pieces, isGlobal, first: Math.max(first, 1), prints, file };
  }

  #letters(): ReadonlyMap<string, string> {
    const reader = this.#reader;
    const delimiter = reader.take();
    const side = (): string[] => {
      const text = reader.delimited(delimiter, false, "unterminated `y' command");
      return [...text.matchAll(/\\(.)|./gsu)].map(([all, after]) => {
        if (after === undefined) return all;
        const control = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", a: "\x07", "\\": "\\" }[after];
        if (control !== undefined) return control;
        if (after === delimiter || after === "\n") return after;
        throw new GnuError(`\`y': \\${after} is not understood in the sandbox's sed`, 1);
      });
    };
    const [from, to] = [side(), side()];
    if (from.length !== to.length) throw reader.error("strings for `y' command are different lengths");
    const letters = new Map<string, string>();
    for (const [at, letter] of from.entries()) if (!letters.has(letter)) letters.set(letter, to[at]!);
    return letters;
  }
}
