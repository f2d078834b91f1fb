import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename } from "node:path";
import { InputError, messageOf } from "../errors.ts";

export interface JsonLine {
  readonly value: unknown;
  /** Counted from 1. */
  readonly line: number;
}

/** What is told of the text after the last newline, and where it begins. */
type OnTail = (tail: Uint8Array, at: number) => void;

/**
 * The values of a JSONL file, line by line, in the memory of one line. Text after the last newline is a write that
 * was cut off: it is given to `onTail` (or left out), never parsed as a line.
 * @throws {InputError} naming the line that is not JSON.
 */
export async function* readJsonl(path: string, onTail: OnTail = () => {}): AsyncGenerator<JsonLine> {
  for await (const { bytes, line } of rawLines(path, onTail)) {
    yield { value: parseLine(bytes, path, line), line };
  }
}

/** The value of one line of a JSONL file; undefined if there are not so many. No other line is parsed. */
export async function readJsonlAt(path: string, wanted: number): Promise<unknown> {
  for await (const { bytes, line } of rawLines(path)) {
    if (line === wanted) return parseLine(bytes, path, line);
  }
  return undefined;
}

/** How many whole lines a file has, whatever is in them. */
export async function countLines(path: string): Promise<number> {
  let count = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++;
  }
  return count;
}

interface RawLine {
  /** Without its newline. */
  readonly bytes: Buffer;
  readonly line: number;
}

/** Whole lines as they are on disk; the pieces of a long one are joined once, when its end has come. */
async function* rawLines(path: string, onTail: OnTail = () => {}): AsyncGenerator<RawLine> {
  let pieces: Buffer[] = [];
  let offset = 0;
  let line = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      pieces.push(chunk.subarray(start, end));
      const bytes = Buffer.concat(pieces);
      pieces = [];
      offset += bytes.length + 1;
      start = end + 1;
      line++;
      yield { bytes, line };
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
  if (pieces.length > 0) onTail(Buffer.concat(pieces), offset);
}

function parseLine(bytes: Buffer, path: string, line: number): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new InputError(
      `${basename(path)} line ${line}: not JSON (${messageOf(error)}); the file was damaged after it was written`,
    );
  }
}

/** A JSONL file that is only ever appended to. Each line is on disk before `append` returns. */
export class JsonlLog {
  readonly #path: string;
  #file: FileHandle;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
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
      let tail = new Uint8Array();
      let keep = 0;
      let lines = 0;
      const onTail = (bytes: Uint8Array, at: number) => {
        tail = new Uint8Array(bytes);
        keep = at;
      };
      for await (const line of readJsonl(path, onTail)) {
        lines = line.line;
        onLine(line);
      }
      if (tail.length > 0) {
        const value = whole(new TextDecoder().decode(tail));
        if (value === undefined) await file.truncate(keep);
        else await file.appendFile("\n");
        if (value !== undefined) onLine({ value: value.value, line: lines + 1 });
        await file.sync();
        return { log: new JsonlLog(path, file), dropped: value === undefined ? tail.length : 0 };
      }
      return { log: new JsonlLog(path, file), dropped: 0 };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Adds one line; several at once are written one after the other. After one that failed, all fail. */
  append(value: unknown): Promise<void> {
    return this.appendText(JSON.stringify(value));
  }

  /** Adds one line that is JSON already, without a newline in it. */
  appendText(text: string): Promise<void> {
    return this.#next(async () => {
      await this.#file.appendFile(`${text}\n`);
      await this.#file.datasync();
    });
  }

  /**
   * Takes lines off, by their numbers from 1. The file is replaced in one go by one without them, so that a kill
   * at any point leaves the one or the other.
   */
  drop(lines: ReadonlySet<number>): Promise<void> {
    return this.#next(async () => {
      const part = `${this.#path}.tmp`;
      await rm(part, { force: true });
      const kept = await open(part, "a+");
      try {
        for await (const { bytes, line } of rawLines(this.#path)) {
          if (!lines.has(line)) await kept.appendFile(Buffer.concat([bytes, Buffer.from("\n")]));
        }
        await kept.sync();
        await rename(part, this.#path);
      } catch (error) {
        await kept.close();
        await rm(part, { force: true });
        throw error;
      }
      await this.#file.close();
      this.#file = kept;
    });
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#file.close();
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    done.catch(() => {});
    this.#last = done;
    return done;
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
