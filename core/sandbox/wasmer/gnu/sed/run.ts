import { GnuError } from "../call.ts";
import type { Regex } from "../regex.ts";
import { Addresses } from "./addresses.ts";
import type { Input, Line, Lines } from "./input.ts";
import { listed } from "./listed.ts";
import type { Output } from "./output.ts";
import type { Command } from "./script.ts";
import { substituted } from "./substitute.ts";

export interface SedRun {
  readonly script: readonly Command[];
  readonly isQuiet: boolean;
  /** What ends a line: a line feed, or NUL. */
  readonly lineEnd: string;
  /** Width of what `l` writes. */
  readonly width: number;
  /** A file as `r` takes it: empty if there is none. */
  readonly read: (name: string) => string;
  /** Its lines, from where they were left, for `R`. */
  readonly linesOf: (name: string) => Lines | undefined;
  /** Where `w` writes. */
  readonly output: (name: string) => Output;
}

/** How a cycle ended. */
type CycleEnd = "next" | "again" | "quit";

/** Runs a script over the lines of one input. Its hold space lasts over several. */
export class Sed {
  #hold = "";
  #isHoldEnded = true;
  #exitCode: number | undefined;
  readonly #run: SedRun;
  readonly #addresses: Addresses;
  #input!: Input;
  #out!: Output;
  #space = "";
  #isEnded = true;
  #wasReplaced = false;
  #lastRegex: Regex | undefined;
  /** What comes after the line: of `a`, `r` and `R`. */
  #after: (() => void)[] = [];

  constructor(run: SedRun) {
    this.#run = run;
    this.#addresses = new Addresses((regex) => this.#regex(regex).test(this.#space));
  }

  /** The exit code of `q` or `Q`, if the script ended by it. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  over(input: Input, out: Output): void {
    this.#input = input;
    this.#out = out;
    this.#addresses.restart(input);
    let keeps = false;
    while (keeps || this.#next(input.next())) {
      const end = this.#cycle();
      keeps = end === "again";
      if (end === "quit") return;
    }
  }

  #next(line: Line | undefined): boolean {
    if (!line) return false;
    this.#space = line.text;
    this.#isEnded = line.isEnded;
    this.#wasReplaced = false;
    return true;
  }

  #print(text = this.#space, out = this.#out): void {
    out.line(text, this.#run.lineEnd, this.#isEnded);
  }

  #endLine(prints = !this.#run.isQuiet): void {
    if (prints) this.#print();
    for (const write of this.#after.splice(0)) write();
  }

  #cycle(): CycleEnd {
    const { script } = this.#run;
    for (let at = 0; at < script.length; at++) {
      const command = script[at]!;
      if (this.#addresses.isFor(command) === command.isNegated) {
        if (command.name === "{") at = command.target - 1;
        continue;
      }
      const end = this.#do(command);
      if (end === "jump") at = command.target - 1;
      else if (end !== undefined) return end;
    }
    this.#endLine();
    return "next";
  }

  #do(command: Command): CycleEnd | "jump" | undefined {
    const { lineEnd, isQuiet, width } = this.#run;
    switch (command.name) {
      case "=":
        this.#out.line(String(this.#input.number), "\n");
        break;
      case "a":
        this.#after.push(() => this.#out.raw(command.text!));
        break;
      case "i":
        this.#out.raw(command.text!);
        break;
      case "c":
        if (!this.#addresses.isWithin(command) || command.isNegated) this.#out.raw(command.text!);
        this.#endLine(false);
        return "next";
      case "d":
        this.#endLine(false);
        return "next";
      case "D": {
        const end = this.#space.indexOf(lineEnd);
        this.#endLine(false);
        if (end === -1) return "next";
        this.#space = this.#space.slice(end + 1);
        return "again";
      }
      case "F":
        this.#out.line(this.#input.name, "\n");
        break;
      case "g":
        this.#space = this.#hold;
        this.#isEnded = this.#isHoldEnded;
        break;
      case "G":
        this.#space += lineEnd + this.#hold;
        this.#isEnded = this.#isHoldEnded;
        break;
      case "h":
        this.#hold = this.#space;
        this.#isHoldEnded = this.#isEnded;
        break;
      case "H":
        this.#hold += lineEnd + this.#space;
        this.#isHoldEnded = this.#isEnded;
        break;
      case "l":
        this.#out.raw(listed(this.#space, command.number ?? width));
        break;
      case "n":
        if (!this.#input.hasMore) {
          this.#endLine();
          return "quit";
        }
        this.#endLine();
        this.#next(this.#input.next());
        break;
      case "N": {
        if (!this.#input.hasMore) {
          this.#endLine();
          return "quit";
        }
        this.#endLine(false);
        const before = this.#space;
        this.#next(this.#input.next());
        this.#space = before + lineEnd + this.#space;
        break;
      }
      case "p":
        this.#print();
        break;
      case "P": {
        const end = this.#space.indexOf(lineEnd);
        if (end === -1) this.#print();
        else this.#out.line(this.#space.slice(0, end), lineEnd);
        break;
      }
      case "q":
        this.#endLine(!isQuiet);
        this.#out.raw("");
        this.#exitCode = command.number ?? 0;
        return "quit";
      case "Q":
        this.#exitCode = command.number ?? 0;
        return "quit";
      case "r":
        this.#after.push(() => this.#out.raw(this.#run.read(command.file!)));
        break;
      case "R":
        this.#after.push(() => {
          const line = this.#run.linesOf(command.file!)?.next();
          if (line) this.#out.line(line.text, lineEnd);
        });
        break;
      case "s":
        this.#substitute(command);
        break;
      case "w":
        this.#print(this.#space, this.#outputOf(command.file!));
        break;
      case "W":
        this.#outputOf(command.file!).line(this.#space.split(lineEnd, 1)[0]!, lineEnd);
        break;
      case "x":
        [this.#space, this.#hold] = [this.#hold, this.#space];
        [this.#isEnded, this.#isHoldEnded] = [this.#isHoldEnded, this.#isEnded];
        break;
      case "y":
        this.#space = [...this.#space].map((char) => command.letters!.get(char) ?? char).join("");
        break;
      case "z":
        this.#space = "";
        break;
      case "b":
        return "jump";
      case "t":
      case "T": {
        const jumps = this.#wasReplaced === (command.name === "t");
        this.#wasReplaced = false;
        return jumps ? "jump" : undefined;
      }
    }
    return undefined;
  }

  #outputOf(name: string): Output {
    return name === "/dev/stdout" ? this.#out : this.#run.output(name);
  }

  #substitute({ substitution }: Command): void {
    const { regex, prints, file } = substitution!;
    const text = substituted(this.#space, substitution!, this.#regex(regex));
    if (text === undefined) return;
    this.#space = text;
    this.#wasReplaced = true;
    if (prints) this.#print();
    if (file !== undefined) this.#print(this.#space, this.#outputOf(file));
  }

  #regex(regex: Regex | undefined): Regex {
    const used = regex ?? this.#lastRegex;
    if (!used) throw new GnuError("no previous regular expression", 1);
    this.#lastRegex = used;
    return used;
  }
}
