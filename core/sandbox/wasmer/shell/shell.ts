import type { ShellState } from "../../sandbox.ts";
import type { FileTree } from "../tree/file-tree.ts";
import { quoted, stdoutOf } from "./command.ts";
import { foldersCommand } from "./folder-globs.ts";
import { gnuCommands } from "./gnu-commands.ts";
import { loadShell } from "./load-shell.ts";
import { gitCommands, killCommand, programCommands, type Told, tellCommands } from "./own-commands.ts";
import { Prepare, RUN } from "./prepare.ts";
import type { Programs } from "./programs.ts";
import { runFileCommand } from "./run-file.ts";
import { exportOf, Scripts } from "./scripts.ts";
import { ShellFiles } from "./shell-files.ts";
import { Sink } from "./sink.ts";
import { STOPPED, type Stop, stopError } from "./stop.ts";
import { tellState } from "./tell-state.ts";
import { textCommands } from "./text-commands.ts";
import { xargsCommand } from "./xargs.ts";

export interface ShellCall {
  readonly tree: FileTree;
  readonly programs: Programs;
  readonly stop: Stop;
  readonly command: readonly string[] | string;
  readonly cwd: string;
  /** All exported variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  readonly merge: boolean;
  /** Whether the shell state at the end is wanted. */
  readonly keepShell: boolean;
}

export interface ShellEnd {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** If it was wanted and the script came so far as to tell it. */
  readonly state?: ShellState | undefined;
}

/** Runs a script, or an argv of something that is no program under Wasmer. */
export async function runShell(call: ShellCall): Promise<ShellEnd> {
  const { tree, stop, cwd, env, command, programs } = call;
  const { Bash } = await loadShell();
  stop.fault = await stopError();
  const told: Told = { notes: [] };
  const sink = new Sink();
  const keepsOrder = [...programs.names, ...Scripts.commands, "forkgym-run"];
  const prepare = new Prepare((name) => keepsOrder.includes(name));
  const scripts = new Scripts(sink, prepare);
  const files = new ShellFiles(tree, stop, sink);
  const bash = new Bash({
    fs: files,
    cwd,
    customCommands: [
      ...programCommands(call),
      ...scripts.commands(),
      runFileCommand(tree, scripts),
      ...tellCommands(told),
      ...gitCommands(call),
      ...gnuCommands(call),
      ...textCommands(files),
      xargsCommand(),
      foldersCommand(tree, told.notes),
      killCommand(stop),
    ],
    defenseInDepth: false,
    sleep: (ms) => stop.sleep(ms),
    // Called at each step: the only way to end a loop that never waits.
    coverage: { hit: () => stop.check() },
  });
  if (call.keepShell && typeof command === "string") bash.registerTransformPlugin(await tellState(command));
  prepare.mergesNext = call.merge;
  bash.registerTransformPlugin(prepare.plugin);
  const result = await bash.exec(scriptOf(call), {
    rawScript: true,
    env: { ...env },
    replaceEnv: true,
    cwd,
    stdin: Buffer.from(call.stdin).toString("latin1"),
    stdinKind: "bytes",
  });
  return {
    exitCode: result.exitCode,
    stdout: Buffer.concat([cleaned(sink.result()), told.piped ?? cleaned(stdoutOf(result))]),
    stderr: cleaned(Buffer.from(result.stderr + told.notes.join(""))),
    state: told.state,
  };
}

function scriptOf({ command, env, merge }: ShellCall): string {
  if (typeof command === "string") return exportOf(env) + command;
  const words = command.map(quoted).join(" ");
  // A shell keeps what it wrote if it is stopped; a pipeline keeps bytes that are no text.
  if (merge || /^(\/usr)?(\/bin\/)?(ba)?sh$/.test(command[0]!)) return exportOf(env) + words;
  return `${exportOf(env)}${words} | /usr/bin/forkgym-out; exit "\${PIPESTATUS[0]}"`;
}

/** Our own commands leave traces, and so does the stop of a script. */
function cleaned(bytes: Buffer): Buffer {
  if (!bytes.includes("forkgym")) return bytes;
  const clean = bytes
    .toString("latin1")
    .replaceAll(`bash: ${STOPPED}\n`, "")
    .replaceAll(/^\+* ?\/usr\/bin\/forkgym-(state|out|folders)\b.*\n/gm, "")
    .replaceAll(new RegExp(`^(\\+.*?)${RUN} `, "gm"), "$1");
  return Buffer.from(clean, "latin1");
}
