import { wholeFrom } from "../check.ts";
import { InputError } from "../errors.ts";
import type { Command, ExecOptions } from "./sandbox.ts";

/** What `exec` does where an option is silent. */
export const EXEC_DEFAULTS = { timeoutMs: 60_000, outputBytes: 1_048_576 } as const;

/** Checks a command and its options, so that every backend refuses the same things in the same words. @throws {InputError} */
export function checkExec(command: Command, options: ExecOptions): void {
  const { timeoutMs, outputBytes, keepShell, env = {} } = options;
  if (typeof command !== "string" && (command.length === 0 || command[0] === "")) {
    throw new InputError("sandbox: expected an argv with a program, got an empty one");
  }
  if (keepShell && typeof command !== "string") {
    throw new InputError("sandbox: `keepShell` needs a script, got an argv");
  }
  const words = typeof command === "string" ? [command] : command;
  if (words.some((word) => word.includes("\0")))
    throw new InputError("sandbox: a command cannot hold a NUL byte");
  if (timeoutMs !== undefined) wholeFrom(1, "sandbox", "timeoutMs", timeoutMs);
  if (outputBytes !== undefined) wholeFrom(0, "sandbox", "outputBytes", outputBytes);
  for (const [name, value] of Object.entries(env)) {
    if (name === "" || /[=\0]/.test(name) || value.includes("\0")) {
      throw new InputError(
        `sandbox: expected variables without "=" in their names and NUL bytes, got ${JSON.stringify(name)}`,
      );
    }
  }
}
