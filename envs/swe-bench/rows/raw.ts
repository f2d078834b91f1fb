import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { InputError, messageOf } from "../../../core/errors.ts";
import { isRow, type Row, shown } from "./fields.ts";
import { decoded, textLines, withoutMark } from "./lines.ts";

/** One row as its file holds it, or in words why it cannot be read. */
export type RawRow = {
  /** The line of a JSONL file, else the number of the row; from 1. */
  readonly line: number;
  /** Under which a JSON object holds the row. */
  readonly key?: string;
} & ({ readonly value: unknown } | { readonly problem: string });

/** For a message: file and line. */
export function placeOf(path: string, { line }: RawRow): string {
  return `${basename(path)} ${/\.jsonl$/i.test(path) ? "line" : "row"} ${line}`;
}

/** The row itself; in an object by id it has that id. @throws {InputError} in words why it is none. */
export function rowOf(raw: RawRow): Row {
  if ("problem" in raw) throw new InputError(raw.problem);
  const { value, key } = raw;
  if (!isRow(value)) throw new InputError(`expected an object, got ${shown(value)}`);
  if (key === undefined) return value;
  const own = value.instance_id ?? key;
  if (own === key) return { ...value, instance_id: key };
  throw new InputError(`instance_id: expected ${key}, under which it stands, got ${shown(own)}`);
}

/**
 * The rows of a .parquet, .json (a list, or an object by id) or .jsonl file, in its order.
 * @throws {InputError} if the file cannot be read or is not what its name says.
 */
export async function* rawRows(part: string, path: string): AsyncGenerator<RawRow> {
  const kind = /\.(parquet|json|jsonl)$/i.exec(path)?.[1]?.toLowerCase();
  if (kind === undefined)
    throw new InputError(`${part}: expected a file named .parquet, .json or .jsonl, got ${path}`);
  const start = await headOf(part, path);
  const isParquet = start.startsWith("PAR1");
  if (start.startsWith("version https://git-lfs"))
    throw new InputError(`${part}: ${path} is a Git LFS pointer, not the data; run \`git lfs pull\` there`);
  if (kind === "parquet" && !isParquet)
    throw new InputError(
      `${part}: ${path} is named .parquet but does not start with PAR1; rename it, or fetch it again`,
    );
  if (kind !== "parquet" && isParquet)
    throw new InputError(`${part}: ${path} is named .${kind} but is a parquet file; rename it`);
  if (kind === "jsonl" && start.trimStart().startsWith("["))
    throw new InputError(`${part}: ${path} is named .jsonl but holds one JSON list; rename it to .json`);
  if (kind === "parquet") yield* parquetRows(part, path);
  else if (kind === "json") yield* jsonRows(part, path);
  else yield* lineRows(path);
}

async function headOf(part: string, path: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
      return withoutMark(buffer.subarray(0, bytesRead)).toString("latin1");
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unreadable(part, path, error);
  }
}

function unreadable(part: string, path: string, error: unknown): InputError {
  return new InputError(`${part}: cannot read ${path} (${messageOf(error)})`);
}

async function* parquetRows(part: string, path: string): AsyncGenerator<RawRow> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import("hyparquet");
  const { compressors } = await import("hyparquet-compressors");
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    let rowStart = 0;
    // A group at a time: a file may be larger than what fits in memory as rows.
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      const rows = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd });
      for (const [at, value] of rows.entries()) yield { line: rowStart + at + 1, value };
      rowStart = rowEnd;
    }
  } catch (error) {
    throw unreadable(part, path, error);
  }
}

async function* jsonRows(part: string, path: string): AsyncGenerator<RawRow> {
  const text = decoded(withoutMark(await bytesOf(part, path)));
  if (text === null) throw new InputError(`${part}: ${path} is not UTF-8; save it as UTF-8`);
  const value = parsed(text);
  if (value === undefined) {
    const lines = parsed(text.trimStart().split("\n", 1)[0]!) !== undefined;
    const hint = lines
      ? "it looks like one JSON value a line; rename it to .jsonl"
      : "it is damaged or cut off";
    throw new InputError(`${part}: ${path} is not JSON; ${hint}`);
  }
  if (Array.isArray(value)) {
    for (const [at, row] of value.entries()) yield { line: at + 1, value: row };
  } else if (isRow(value)) {
    for (const [at, [key, row]] of Object.entries(value).entries()) yield { line: at + 1, key, value: row };
  } else {
    throw new InputError(`${part}: expected ${basename(path)} to be a list, or an object by id`);
  }
}

async function bytesOf(part: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw unreadable(part, path, error);
  }
}

async function* lineRows(path: string): AsyncGenerator<RawRow> {
  for await (const { text, line } of textLines(path)) {
    const value = text === null ? undefined : parsed(text);
    if (text === null) yield { line, problem: "expected UTF-8, got other bytes" };
    else if (value === undefined) yield { line, problem: "expected JSON, got text that is none" };
    else yield { line, value };
  }
}

/** Undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
