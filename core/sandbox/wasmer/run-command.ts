import { Capture } from "../captured.ts";
import type { Captured, ShellState } from "../sandbox.ts";
import { runShell, type ShellCall } from "./shell/shell.ts";

export interface CommandCall extends ShellCall {
  readonly outputBytes: number;
}

export interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly state?: ShellState | undefined;
}

/** An argv that names a program runs under Wasmer at once, its output kept as it comes; all else the shell runs. */
export async function runCommand(call: CommandCall): Promise<CommandEnd> {
  const { command, programs, merge, outputBytes } = call;
  const stdout = new Capture(outputBytes);
  const stderr = new Capture(outputBytes);
  const name = typeof command === "string" ? undefined : programs.find(command[0]!);
  if (name !== undefined) {
    const args = command.slice(1) as readonly string[];
    const onOutput = (stream: 1 | 2, chunk: Uint8Array): void =>
      (stream === 1 || merge ? stdout : stderr).add(chunk);
    const exitCode = await programs.run(call.tree, { ...call, name, args }, onOutput, call.stop.signal);
    return { exitCode, stdout: stdout.result(), stderr: stderr.result() };
  }
  const end = await runShell(call);
  stdout.add(end.stdout);
  (merge ? stdout : stderr).add(end.stderr);
  return { exitCode: end.exitCode, stdout: stdout.result(), stderr: stderr.result(), state: end.state };
}
