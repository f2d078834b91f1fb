import type { GnuEnd } from "./call.ts";

/** What `yes` writes before the pipe that nobody reads any more would end it. */
const YES_BYTES = 1024 * 1024;

/** `yes`, up to a mebibyte: here a pipe is written whole before it is read. */
export function yes(args: readonly string[]): GnuEnd {
  const line = `${args.length > 0 ? args.filter((arg, index) => index > 0 || arg !== "--").join(" ") : "y"}\n`;
  return { stdout: line.repeat(Math.ceil(YES_BYTES / Buffer.byteLength(line))), exitCode: 141 };
}
