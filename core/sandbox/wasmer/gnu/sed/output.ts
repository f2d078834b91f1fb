/** What is written to one place. A line end that the input lacks comes only if more follows. */
export class Output {
  #text = "";
  #isOpen = false;

  get text(): string {
    return this.#text;
  }

  line(text: string, end: string, isEnded = true): void {
    this.raw(text + (isEnded ? end : ""));
    if (!isEnded) this.#isOpen = true;
  }

  raw(text: string): void {
    if (this.#isOpen) this.#text += "\n";
    this.#isOpen = false;
    this.#text += text;
  }
}
