import type { CommandContext, CustomCommand, ExecResult } from "just-bash";

/** A command of ours, which the shell calls as it calls its own. */
export function command(
  name: string,
  execute: (args: string[], context: CommandContext) => Promise<ExecResult>,
): CustomCommand {
  return { name, trusted: true, execute };
}

/** The shell's bytes are characters from 0 to 255. */
export function stdinOf({ stdin }: CommandContext): Uint8Array {
  return Buffer.from(stdin as unknown as string, "latin1");
}

/** The result of a command that wrote these bytes. */
export function wrote(stdout: Uint8Array, stderr: string, exitCode: number): ExecResult {
  return {
    stdout: Buffer.from(stdout.buffer, stdout.byteOffset, stdout.length).toString("latin1"),
    stdoutKind: "bytes",
    stdoutEncoding: "binary",
    stderr,
    exitCode,
  };
}

/** What it wrote to stdout: the shell has text in some results and bytes in others. */
export function stdoutOf({ stdout, stdoutKind, stdoutEncoding }: ExecResult): Buffer {
  return Buffer.from(stdout, stdoutKind === "bytes" || stdoutEncoding === "binary" ? "latin1" : "utf8");
}

/** A word as a script has it, whatever is in it. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
