import type { CommandContext, CustomCommand } from "just-bash";
import { type GnuCommand, GnuError } from "../gnu/call.ts";
import { within } from "../gnu/guard.ts";
import { command, stdinOf, wrote } from "./command.ts";
import type { ShellCall } from "./shell.ts";
import type { Stop } from "./stop.ts";

/** A regular expression may hold up the whole process for so long in one file. */
const REGEX_MS = 5000;

/** Loaded when first needed. */
const COMMANDS: Readonly<Record<string, () => Promise<GnuCommand>>> = {
  grep: async () => (await import("../gnu/grep/grep.ts")).grep,
  egrep: async () => (await import("../gnu/grep/grep.ts")).egrep,
  fgrep: async () => (await import("../gnu/grep/grep.ts")).fgrep,
  cmp: async () => (await import("../gnu/cmp.ts")).cmp,
  diff: async () => (await import("../gnu/diff.ts")).diff,
  hd: async () => {
    const { hexdump } = await import("../gnu/dump.ts");
    return (args, world) => hexdump(["-C", ...args], world);
  },
  hexdump: async () => (await import("../gnu/dump.ts")).hexdump,
  id: async () => (await import("../gnu/id.ts")).id,
  install: async () => (await import("../gnu/install.ts")).install,
  ls: async () => (await import("../gnu/ls.ts")).ls,
  od: async () => (await import("../gnu/dump.ts")).od,
  realpath: async () => (await import("../gnu/realpath.ts")).realpath,
  sort: async () => (await import("../gnu/sort.ts")).sort,
  truncate: async () => (await import("../gnu/truncate.ts")).truncate,
  xxd: async () => (await import("../gnu/dump.ts")).xxd,
  yes: async () => (await import("../gnu/yes.ts")).yes,
  sed: async () => (await import("../gnu/sed/sed.ts")).sed,
};

/** Their names, in the order of the table. */
export const GNU_NAMES: readonly string[] = Object.keys(COMMANDS);

/** Exit codes of trouble where it is not 1. */
const TROUBLE: Readonly<Record<string, number>> = {
  grep: 2,
  egrep: 2,
  fgrep: 2,
  diff: 2,
  cmp: 2,
  ls: 2,
  sort: 2,
};

/** Commands in the manner of GNU's, over the sandbox's own files; several stand in for the shell's. */
export function gnuCommands({ tree, stop }: ShellCall): CustomCommand[] {
  return Object.entries(COMMANDS).map(([name, load]) =>
    command(name, async (args, context) => {
      const { cwd, exportedEnv = {} } = context;
      const stdin = stdinOf(context);
      const run = await load();
      const piped = await pipedIn(args, context);
      try {
        const turn = (): Promise<void> => stop.turn();
        const world = { tree, cwd, env: exportedEnv, stdin, piped, turn, guarded: guardedBy(stop) };
        const { stdout, stderr = "", exitCode = 0 } = await run(args, world);
        return wrote(Buffer.from(stdout as string), stderr, exitCode);
      } catch (error) {
        if (!(error instanceof GnuError)) throw error;
        return wrote(Buffer.alloc(0), `${name}: ${error.message}\n`, error.exitCode ?? TROUBLE[name] ?? 1);
      }
    }),
  );
}

/** The shell has what a `<(command)` wrote beside the files. */
async function pipedIn(
  args: readonly string[],
  { fs }: CommandContext,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const piped = new Map<string, Uint8Array>();
  for (const arg of args) if (/^\/dev\/fd\/\d+$/.test(arg)) piped.set(arg, await fs.readFileBuffer(arg));
  return piped;
}

function guardedBy(stop: Stop): <T>(work: () => T) => T {
  return (work) => {
    const end = within(Math.min(REGEX_MS, stop.leftMs), work);
    if (end) return end.value;
    stop.check();
    throw new GnuError(
      `stopped after ${REGEX_MS / 1000} s of work in one go; use a simpler regular expression`,
    );
  };
}
