import type { ExecResult } from "just-bash";
import type { ShellState } from "../../sandbox.ts";
import type { FileTree } from "../tree/file-tree.ts";
import { loadShell } from "./load-shell.ts";
import { mergeStreams } from "./merge.ts";
import { killCommand, programCommands, type Told, tellCommands } from "./own-commands.ts";
import type { Programs } from "./programs.ts";
import { ShellFiles } from "./shell-files.ts";
import { STOPPED, type Stop, stopError } from "./stop.ts";
import { tellState } from "./tell-state.ts";

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
  const { tree, stop, cwd, env, command } = call;
  const { Bash } = await loadShell();
  stop.fault = await stopError();
  const told: Told = {};
  const bash = new Bash({
    fs: new ShellFiles(tree, stop),
    cwd,
    customCommands: [...programCommands(call), ...tellCommands(told), killCommand(stop)],
    defenseInDepth: false,
    sleep: (ms) => stop.sleep(ms),
    // Called at each step: the only way to end a loop that never waits.
    coverage: { hit: () => stop.check() },
  });
  if (call.keepShell && typeof command === "string") bash.registerTransformPlugin(await tellState(command));
  if (call.merge) bash.registerTransformPlugin(mergeStreams);
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
    stdout: told.piped ?? bytesOf(result),
    stderr: Buffer.from(result.stderr.replaceAll(`bash: ${STOPPED}\n`, "")),
    state: told.state,
  };
}

/** The name of a variable that a shell can export. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function scriptOf({ command, env, merge }: ShellCall): string {
  // On the line of the script's first, so that messages name the right lines.
  const exported = Object.keys(env).filter((name) => NAME.test(name));
  const head = exported.length > 0 ? `export ${exported.join(" ")}; ` : "";
  if (typeof command === "string") return head + command;
  const words = command.map(quoted).join(" ");
  // A shell keeps what it wrote if it is stopped; a pipeline keeps bytes that are no text.
  if (/^(\/usr)?(\/bin\/)?(ba)?sh$/.test(command[0]!)) return head + words;
  return `${head}${words}${merge ? " 2>&1" : ""} | /usr/bin/forkgym-out; exit "\${PIPESTATUS[0]}"`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The shell gives text, whatever was written, so bytes that are no UTF-8 come out changed. */
function bytesOf({ stdout, stdoutKind }: ExecResult): Uint8Array {
  return Buffer.from(stdout, stdoutKind === "bytes" ? "latin1" : "utf8");
}
