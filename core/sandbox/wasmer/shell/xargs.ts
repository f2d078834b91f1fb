import type { CommandContext, CustomCommand, ExecResult } from "just-bash";
import { GnuError } from "../gnu/call.ts";
import { type Options, parseOptions } from "../gnu/options.ts";
import { decode } from "../gnu/text.ts";
import { command, quoted, stdinOf, stdoutOf, wrote } from "./command.ts";

const FLAGS = {
  "-0": "none",
  "-a": "value",
  "-d": "value",
  "-I": "value",
  "-i": "maybe",
  "-L": "value",
  "-n": "value",
  "-P": "value",
  "-r": "none",
  "-t": "none",
  "-x": "none",
  "-s": "value",
} as const;

const NAMES = {
  "--null": "-0",
  "--arg-file": "-a",
  "--delimiter": "-d",
  "--replace": "-i",
  "--max-lines": "-L",
  "--max-args": "-n",
  "--max-procs": "-P",
  "--no-run-if-empty": "-r",
  "--verbose": "-t",
  "--exit": "-x",
  "--max-chars": "-s",
};

/** `xargs`, as GNU's, one command after the other; its length is not limited. */
export function xargsCommand(): CustomCommand {
  return command("xargs", async (args, context) => {
    try {
      return await run(args, context);
    } catch (error) {
      if (!(error instanceof GnuError)) throw error;
      return wrote(Buffer.alloc(0), `xargs: ${error.message}\n`, error.exitCode ?? 1);
    }
  });
}

async function run(args: readonly string[], context: CommandContext): Promise<ExecResult> {
  const { options, words } = split(args);
  const { has, value } = options;
  if (has("-s")) throw new GnuError("-s is not in the sandbox's xargs");
  const file = value("-a");
  const bytes =
    file === undefined
      ? stdinOf(context)
      : await context.fs.readFileBuffer(context.fs.resolvePath(context.cwd, file));
  const base = words.length > 0 ? words : ["echo"];
  const out: Uint8Array[] = [];
  let stderr = "";
  let exitCode = 0;
  for (const each of calls(base, decode(bytes), options)) {
    if (has("-t")) stderr += `${each.join(" ")}\n`;
    const result = await context.exec!(each.map(quoted).join(" "), {
      cwd: context.cwd,
      env: context.exportedEnv ?? {},
    });
    out.push(stdoutOf(result));
    stderr += result.stderr;
    if (result.exitCode === 126 || result.exitCode === 127) exitCode = result.exitCode;
    else if (result.exitCode === 255) {
      stderr += `xargs: ${each[0]}: exited with status 255; aborting\n`;
      exitCode = 124;
    } else if (result.exitCode !== 0) exitCode = 123;
    if (exitCode !== 0 && exitCode !== 123) break;
  }
  return wrote(Buffer.concat(out), stderr, exitCode);
}

/** Its own options, up to the first word that is none, and the command behind them. */
function split(args: readonly string[]): { readonly options: Options; readonly words: readonly string[] } {
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at]!;
    if (word === "--") {
      return { options: parseOptions(args.slice(0, at), FLAGS, NAMES), words: args.slice(at + 1) };
    }
    if (!/^-./.test(word)) break;
    // The value of the last letter of a word may be the next word.
    if (
      /^-[0rtx]*[adILnPs]$/.test(word) ||
      /^--(arg-file|delimiter|max-lines|max-args|max-procs|max-chars)$/.test(word)
    )
      at++;
  }
  return { options: parseOptions(args.slice(0, at), FLAGS, NAMES), words: args.slice(at) };
}

function calls(base: readonly string[], text: string, { given, has, value }: Options): string[][] {
  const delimiter = has("-0") ? "\0" : has("-d") ? delimiterOf(value("-d")!) : undefined;
  const mode = given.findLast(([flag]) => ["-I", "-i", "-L", "-n"].includes(flag));
  const mark = mode?.[0] === "-I" || mode?.[0] === "-i" ? (mode[1] ?? "{}") : undefined;
  const lines =
    delimiter === undefined
      ? wordsByLine(text, mark !== undefined)
      : pieces(text, delimiter).map((piece) => [piece]);
  if (mark !== undefined) {
    return lines.flatMap((line) => line.map((word) => base.map((part) => part.replaceAll(mark, () => word))));
  }
  const count = mode ? Number(mode[1]) : Infinity;
  if (!(count >= 1)) throw new GnuError(`value ${mode?.[1]} for ${mode?.[0]} option should be >= 1`);
  if (mode?.[0] === "-L") return grouped(lines, count).map((group) => [...base, ...group.flat()]);
  const all = lines.flat();
  if (all.length === 0) return has("-r") ? [] : [[...base]];
  return grouped(all, count).map((group) => [...base, ...group]);
}

function grouped<T>(items: readonly T[], count: number): T[][] {
  if (items.length === 0) return [];
  if (count === Infinity) return [[...items]];
  const groups: T[][] = [];
  for (let at = 0; at < items.length; at += count) groups.push(items.slice(at, at + count));
  return groups;
}

function delimiterOf(text: string): string {
  const known: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", "\\0": "\0", "\\\\": "\\" };
  const char = known[text] ?? text;
  if ([...char].length !== 1) throw new GnuError(`Invalid input delimiter specification ${text}`);
  return char;
}

function pieces(text: string, delimiter: string): string[] {
  const found = text.split(delimiter);
  if (found.at(-1) === "") found.pop();
  return found;
}

/** The words of each line that has any; with `-I` a line without the blanks before it is one word. */
function wordsByLine(text: string, isWhole: boolean): string[][] {
  const lines: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endLine = (): void => {
    endWord();
    if (words.length > 0) lines.push(words);
    words = [];
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\n") endLine();
    else if ((char === " " || char === "\t") && !(isWhole && word !== undefined)) endWord();
    else if (char === "'" || char === '"') {
      const end = text.indexOf(char, at + 1);
      const inner = text.slice(at + 1, end);
      if (end === -1 || inner.includes("\n"))
        throw new GnuError(
          `unmatched ${char === "'" ? "single" : "double"} quote; by default quotes are special to xargs unless you use the -0 option`,
        );
      word = (word ?? "") + inner;
      at = end;
    } else if (char === "\\" && at + 1 < text.length) word = (word ?? "") + text[++at]!;
    else word = (word ?? "") + char;
  }
  endLine();
  return lines;
}
