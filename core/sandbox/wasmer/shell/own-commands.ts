import type { CustomCommand } from "just-bash";
import type { ShellState } from "../../sandbox.ts";
import { git } from "../git/git.ts";
import { patch } from "../patch/patch.ts";
import { command, stdinOf, wrote } from "./command.ts";
import { isMarkedSame } from "./redirections.ts";
import type { ShellCall } from "./shell.ts";
import type { Stop } from "./stop.ts";

/** Of what a program writes into a pipe or a substitution, so much is kept: the shell holds it in memory. */
const PIPE_BYTES = 64 * 1024 * 1024;

const SIGNALS: Readonly<Record<string, number>> = { HUP: 1, INT: 2, QUIT: 3, KILL: 9, TERM: 15 };

/** What a script tells of itself. */
export interface Told {
  state?: ShellState;
  piped?: Uint8Array;
  /** Lines that are added to the script's stderr at its end: of what runs where the shell drops that. */
  readonly notes: string[];
}

/** How a script tells the sandbox what is in it: see `tellState`, and `scriptOf` in `shell.ts`. */
export function tellCommands(told: Told): CustomCommand[] {
  return [
    command("forkgym-state", async ([code], { cwd, exportedEnv = {} }) => {
      const { PWD, OLDPWD, ...env } = exportedEnv;
      told.state = { cwd, env };
      return { stdout: "", stderr: "", exitCode: Number(code) };
    }),
    command("forkgym-out", async (_, context) => {
      told.piped = stdinOf(context);
      return { stdout: "", stderr: "", exitCode: 0 };
    }),
  ];
}

/** Python and the others, each under Wasmer. */
export function programCommands({ programs, tree, stop }: ShellCall): CustomCommand[] {
  return programs.names.map((name) =>
    command(name, async (args, context) => {
      const { cwd, exportedEnv = {}, fileDescriptors } = context;
      const isSame = isMarkedSame(fileDescriptors);
      const chunks: Record<1 | 2, Uint8Array[]> = { 1: [], 2: [] };
      let room = PIPE_BYTES;
      const onOutput = (stream: 1 | 2, chunk: Uint8Array): void => {
        if (room > 0) chunks[isSame ? 1 : stream].push(chunk.subarray(0, room));
        room -= chunk.length;
      };
      const call = { name, args, cwd, env: exportedEnv, stdin: stdinOf(context), merge: isSame };
      const exitCode = await programs.run(tree, call, onOutput, stop.signal);
      return wrote(Buffer.concat(chunks[1]), Buffer.concat(chunks[2]).toString("utf8"), exitCode);
    }),
  );
}

/** `git` and `patch`, over the sandbox's own files. */
export function gitCommands({ tree }: ShellCall): CustomCommand[] {
  return Object.entries({ git, patch }).map(([name, run]) =>
    command(name, async (args, context) => {
      const { cwd, exportedEnv = {} } = context;
      const { stdout, stderr, exitCode } = run(args, {
        tree,
        cwd,
        env: exportedEnv,
        stdin: stdinOf(context),
      });
      return wrote(stdout, stderr, exitCode);
    }),
  );
}

/** `kill -9 $$` ends the script, as far down as it is written; there are no other processes. */
export function killCommand(stop: Stop): CustomCommand {
  return command("kill", async (args, { env }) => {
    const flag =
      args
        .find((arg) => arg.startsWith("-"))
        ?.slice(1)
        .replace(/^SIG/, "") ?? "TERM";
    const signal = SIGNALS[flag] ?? Number(flag);
    const pids = args.filter((arg) => !arg.startsWith("-"));
    const other = pids.find((pid) => pid !== (env.get("$") ?? "1"));
    if (pids.length === 0 || other !== undefined || !Number.isInteger(signal)) {
      return { stdout: "", stderr: `bash: kill: (${other ?? ""}) - No such process\n`, exitCode: 1 };
    }
    if (signal > 0) stop.kill(signal);
    return { stdout: "", stderr: "", exitCode: 0 };
  });
}
