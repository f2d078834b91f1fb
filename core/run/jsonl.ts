import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import { InputError, messageOf } from "../errors.ts";

export interface JsonLine {
  readonly value: unknown;
  /** Counted from 1. */
  readonly line: number;
}

/**
 * The values of a JSONL file, line by line, in flat memory. Text after the last newline is a write that was cut
 * off: it is given to `onTail` (or left out), never parsed as a line.
 * @throws {InputError} naming the line that is not JSON.
 */
export async function* readJsonl(
  path: string,
  onTail: (tail: Buffer, at: number) => void = () => {},
): AsyncGenerator<JsonLine> {
  let rest = Buffer.alloc(0);
  let offset = 0;
  let line = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
      line++;
      yield { value: parse(rest.toString("utf8", start, end), path, line), line };
      start = end + 1;
    }
    offset += start;
    rest = rest.subarray(start);
  }
  if (rest.length > 0) onTail(rest, offset);
}

function parse(text: string, path: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(
      `${basename(path)} line ${line}: not JSON (${messageOf(error)}); the file was damaged after it was written`,
    );
  }
}

/** A JSONL file that is only ever appended to. Each line is on disk before `append` returns. */
export class JsonlLog {
  readonly #file: FileHandle;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /**
   * Opens or makes the file and hands every line in it to `onLine`. A last line that was cut off by a crash is
   * taken off the file, unless only its newline is missing.
   * @returns the log and the number of bytes that were taken off.
   */
  static async open(
    path: string,
    onLine: (line: JsonLine) => void,
  ): Promise<{ readonly log: JsonlLog; readonly dropped: number }> {
    const file = await open(path, "a+");
    try {
      let tail = Buffer.alloc(0);
      let keep = 0;
      let lines = 0;
      const onTail = (bytes: Buffer, at: number) => {
        tail = Buffer.from(bytes);
        keep = at;
      };
      for await (const line of readJsonl(path, onTail)) {
        lines = line.line;
        onLine(line);
      }
      if (tail.length > 0) {
        const value = whole(tail.toString("utf8"));
        if (value === undefined) await file.truncate(keep);
        else await file.appendFile("\n");
        if (value !== undefined) onLine({ value: value.value, line: lines + 1 });
        await file.sync();
        return { log: new JsonlLog(file), dropped: value === undefined ? tail.length : 0 };
      }
      return { log: new JsonlLog(file), dropped: 0 };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Adds one line; several at once are written one after the other. After one that failed, all fail. */
  append(value: unknown): Promise<void> {
    const text = `${JSON.stringify(value)}\n`;
    const write = this.#last.then(async () => {
      await this.#file.appendFile(text);
      await this.#file.datasync();
    });
    write.catch(() => {});
    this.#last = write;
    return write;
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#file.close();
  }
}

/** The value of a last line that is complete but for its newline. */
function whole(tail: string): { readonly value: unknown } | undefined {
  if (!tail.endsWith("}")) return undefined;
  try {
    return { value: JSON.parse(tail) as unknown };
  } catch {
    return undefined;
  }
}
