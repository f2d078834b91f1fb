import { decode } from "../text.ts";

export interface Line {
  readonly text: string;
  /** Whether the line has its end: the last of a file may not. */
  readonly isEnded: boolean;
}

/** The lines of a file, taken one by one. */
export class Lines {
  readonly #text: string;
  readonly #end: string;
  #at = 0;

  constructor(bytes: Uint8Array, end: string) {
    this.#text = decode(bytes);
    this.#end = end;
  }

  get hasMore(): boolean {
    return this.#at < this.#text.length;
  }

  next(): Line | undefined {
    if (!this.hasMore) return undefined;
    const end = this.#text.indexOf(this.#end, this.#at);
    const text = this.#text.slice(this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#text.length : end + 1;
    return { text, isEnded: end !== -1 };
  }
}

/** The lines of files, one file after the other. A name that cannot be read is told, and left out. */
export class Input {
  /** Number of the line taken last. */
  number = 0;
  /** Name of the file that it is from. */
  name = "-";
  readonly #names: string[];
  readonly #open: (name: string) => Lines | undefined;
  #lines: Lines | undefined;

  constructor(names: readonly string[], open: (name: string) => Lines | undefined) {
    this.#names = [...names];
    this.#open = open;
  }

  get hasMore(): boolean {
    while (!this.#lines?.hasMore) {
      const name = this.#names.shift();
      if (name === undefined) return false;
      this.#lines = this.#open(name);
      if (this.#lines) this.#nextName = name;
    }
    return true;
  }

  #nextName = "-";

  next(): Line | undefined {
    if (!this.hasMore) return undefined;
    this.number++;
    this.name = this.#nextName;
    return this.#lines!.next();
  }
}
