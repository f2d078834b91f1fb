import { isAscii, isUtf8 } from "node:buffer";
import type { CommandContext, CustomCommand, ExecResult } from "just-bash";
import { withLength } from "../gnu/awk-length.ts";
import { decode, encode, NO_TEXT } from "../gnu/text.ts";
import { command, stdinOf, wrote } from "./command.ts";
import type { ShellFiles } from "./shell-files.ts";

type Change = (args: string[]) => string[];

/** The shell's commands that work on text, with what is changed in their arguments. */
const COMMANDS: Readonly<Record<string, Change | undefined>> = {
  awk: (args) => args.map(withLength),
  column: undefined,
  comm: undefined,
  cp: (args) =>
    args.map((arg) =>
      arg === "--archive" ? "-rp" : /^-[A-Za-z]*a/.test(arg) ? arg.replace("a", "rp") : arg,
    ),
  cut: undefined,
  echo: (args) =>
    args.some((arg) => /^-[neE]*e/.test(arg)) ? args.map((arg) => bytesIn(arg, /^0?[0-7]{1,3}/)) : args,
  expand: undefined,
  find: undefined,
  fold: undefined,
  join: undefined,
  nl: undefined,
  paste: (args) => (args.every((arg) => /^-./.test(arg)) && args.length > 0 ? [...args, "-"] : args),
  printf: (args) => args.map((arg) => bytesIn(arg, /^0?[0-7]{1,3}/)),
  rev: undefined,
  tac: undefined,
  tr: undefined,
  unexpand: undefined,
  uniq: undefined,
};

/**
 * The shell takes bytes that are not UTF-8 for Latin-1, or for U+FFFD, and would write those as UTF-8. These write them
 * as they came.
 */
export function textCommands(files: ShellFiles): CustomCommand[] {
  return Object.entries(COMMANDS).map(([name, change]) =>
    command(name, async (args, context) => {
      const outer = { ...files.seen };
      Object.assign(files.seen, { odd: false, utf8: false });
      try {
        const given = change ? change(args) : args;
        const result = await context.origCommand!(given);
        return exact(name, asGnu(name, args, result), given, context, files);
      } finally {
        Object.assign(files.seen, { odd: outer.odd || files.seen.odd, utf8: outer.utf8 || files.seen.utf8 });
      }
    }),
  );
}

function exact(
  name: string,
  result: ExecResult,
  args: readonly string[],
  context: CommandContext,
  { seen }: ShellFiles,
): ExecResult {
  if (result.stdoutKind === "bytes" || result.stdoutEncoding === "binary") return result;
  const { stdout, stderr, exitCode } = result;
  const stdin = name === "echo" || name === "printf" ? Buffer.alloc(0) : stdinOf(context);
  const isOdd = seen.odd || !isUtf8(stdin);
  if (!isOdd)
    return NO_TEXT.test(stdout) ? { ...result, ...wrote(encode(stdout), stderr, exitCode) } : result;
  const isMixed =
    seen.utf8 || (isUtf8(stdin) && !isAscii(stdin)) || args.some((arg) => !isAscii(Buffer.from(arg)));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant.
  if (isMixed || !/^[\x00-\xff]*$/.test(stdout)) {
    const why =
      "bytes that are not UTF-8 beside text that is cannot be told apart in the sandbox; use Python";
    return wrote(Buffer.alloc(0), `${name}: ${why}\n`, 1);
  }
  return { ...result, ...wrote(Buffer.from(stdout, "latin1"), stderr, exitCode) };
}

/** The width of the counts of `uniq -c`; and `find -exec ... ;` does not end with what its commands end with. */
function asGnu(name: string, args: readonly string[], result: ExecResult): ExecResult {
  if (name === "find" && args.includes(";") && !args.includes("+") && !/^find: /m.test(result.stderr))
    return { ...result, exitCode: 0 };
  if (name !== "uniq" || !args.some((arg) => /^-[a-z]*c/.test(arg) || arg === "--count")) return result;
  return {
    ...result,
    stdout: result.stdout.replace(/^ *(\d+) /gm, (_, count: string) => `${count.padStart(7)} `),
  };
}

/** Writes the bytes of `\xHH` and of octal escapes as what they are: characters, or bytes that are no text. */
function bytesIn(text: string, octal: RegExp): string {
  return text.replace(/(?:\\(?:x[0-9A-Fa-f]{1,2}|[0-7]{1,4}|\\))+/g, (run) => {
    const codes: (number | string)[] = [];
    for (let rest = run; rest !== ""; ) {
      const [all, hex] = /^\\x([0-9A-Fa-f]{1,2})/.exec(rest) ?? [];
      const digits = octal.exec(rest.slice(1))?.[0];
      if (all !== undefined) codes.push(Number.parseInt(hex!, 16));
      else if (digits !== undefined) codes.push(Number.parseInt(digits, 8));
      else codes.push(rest.slice(0, 2));
      rest = rest.slice(all?.length ?? 1 + (digits?.length ?? 1));
    }
    if (!codes.some((code) => typeof code === "number" && code > 0x7f && code <= 0xff)) return run;
    let written = "";
    let bytes: number[] = [];
    const flush = (): void => {
      written += decode(Uint8Array.from(bytes));
      bytes = [];
    };
    for (const code of codes) {
      if (typeof code === "number" && code > 0x7f) bytes.push(code & 0xff);
      else {
        flush();
        written += typeof code === "string" ? code : `\\x${code.toString(16).padStart(2, "0")}`;
      }
    }
    flush();
    return written;
  });
}
