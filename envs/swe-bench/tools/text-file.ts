import type { ToolContext } from "../types.ts";
import { kindOf } from "./probe.ts";
import { AgentMistake } from "./tool.ts";

/** An editor takes no larger file. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** A byte order mark stays part of the text, so that writing it back gives the same bytes. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const NO_FILE = {
  missing: "does not exist",
  folder: "is a folder, and this is for files only",
  other: "is no regular file",
} as const;

/** What is said of a path that had to be a file. */
export function noFile(path: string, kind: keyof typeof NO_FILE): AgentMistake {
  return new AgentMistake(`${path} ${NO_FILE[kind]}.`);
}

/** The bytes of a regular file of a size that fits into an answer's making. @throws {AgentMistake} */
async function readBytes(context: ToolContext, path: string): Promise<Uint8Array> {
  const found = await kindOf(context, path);
  if (found.kind !== "file") throw noFile(path, found.kind);
  if (found.bytes > MAX_FILE_BYTES) {
    throw new AgentMistake(
      `${path} has ${found.bytes} bytes; more than ${MAX_FILE_BYTES} are not opened here. Use a command instead.`,
    );
  }
  return context.sandbox.readFile(path);
}

/** The text of a file, every byte of it. @throws {AgentMistake} if it is none, or not in UTF-8. */
export async function readText(context: ToolContext, path: string): Promise<string> {
  const bytes = await readBytes(context, path);
  const text = textOf(bytes);
  if (text !== undefined) return text;
  throw new AgentMistake(
    `${path} is not UTF-8 text (it is binary, or in another encoding) and is left as it is. Use a command instead.`,
  );
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
