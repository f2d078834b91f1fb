import type { Regex } from "../regex.ts";
import type { Input } from "./input.ts";
import type { Address, Command } from "./script.ts";

interface Range {
  /** Whether a line of it was met and its end was not. */
  isActive: boolean;
  /** The last line, if it is known. */
  end: number;
  /** Whether it was met: one from a numbered line on is met once, at that line or the next that is looked at. */
  wasMet: boolean;
}

/** Tells which commands are for the line at hand. */
export class Addresses {
  readonly #matches: (regex: Regex | undefined) => boolean;
  readonly #ranges = new Map<Command, Range>();
  #input!: Input;

  /** @param matches whether the pattern space does */
  constructor(matches: (regex: Regex | undefined) => boolean) {
    this.#matches = matches;
  }

  /** Ranges begin anew with each input. */
  restart(input: Input): void {
    this.#input = input;
    this.#ranges.clear();
  }

  /** Whether the command's range goes on after this line. */
  isWithin(command: Command): boolean {
    return this.#ranges.get(command)?.isActive === true;
  }

  isFor(command: Command): boolean {
    const { from, to } = command;
    if (!from) return true;
    if (!to) return this.#isAt(from);
    const range = this.#rangeOf(command);
    const { number } = this.#input;
    if (range.isActive) {
      if (to.kind === "regex") range.isActive = !this.#isAt(to);
      else if (to.kind === "last") range.isActive = this.#input.hasMore;
      else if (to.kind === "step") range.isActive = !this.#isAt(to);
      else {
        range.isActive = number < range.end;
        // Its last line may have gone by unseen, as with `N`; only one that is named is then too late.
        return to.kind !== "line" || number <= range.end;
      }
      return true;
    }
    return this.#starts(command, range);
  }

  #starts({ from, to }: Command, range: Range): boolean {
    const { number } = this.#input;
    if (from!.kind === "line" && from!.line > 0) {
      if (range.wasMet || number < from!.line) return false;
      range.wasMet = true;
      if (to!.kind === "line" && number > from!.line && number > to!.line) return false;
    } else if (!this.#isAt(from!)) return false;
    if (to!.kind === "line") range.end = to!.line;
    else if (to!.kind === "more") range.end = number + to!.count;
    else if (to!.kind === "multiple") range.end = to!.of > 0 ? number + to!.of - (number % to!.of) : number;
    else range.end = Infinity;
    range.isActive = to!.kind === "last" ? this.#input.hasMore : number < range.end;
    return true;
  }

  #rangeOf(command: Command): Range {
    let range = this.#ranges.get(command);
    if (!range) {
      // From line 0 on, so that the end may be on the first line.
      range = {
        isActive: command.from?.kind === "line" && command.from.line === 0,
        end: Infinity,
        wasMet: false,
      };
      this.#ranges.set(command, range);
    }
    return range;
  }

  #isAt(address: Address): boolean {
    const { number } = this.#input;
    switch (address.kind) {
      case "line":
        return number === address.line;
      case "step":
        return address.step > 0
          ? number >= address.first && (number - address.first) % address.step === 0
          : number === address.first;
      case "last":
        return !this.#input.hasMore;
      case "regex":
        return this.#matches(address.regex);
    }
  }
}
