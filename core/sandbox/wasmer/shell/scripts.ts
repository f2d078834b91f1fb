import type { CommandContext, CustomCommand, ExecResult } from "just-bash";
import { command, quoted, stdoutOf, wrote } from "./command.ts";
import type { Prepare } from "./prepare.ts";
import { isMarkedSame } from "./redirections.ts";
import type { Sink } from "./sink.ts";

/** The name of a variable that a shell can export. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `export` of all of these, on the line of the script's first, so that messages name the right lines. */
export function exportOf(env: Readonly<Record<string, string>>): string {
  const names = Object.keys(env).filter((name) => NAME.test(name));
  return names.length > 0 ? `export ${names.join(" ")}; ` : "";
}

/** Runs scripts within a script. */
export class Scripts {
  /** The commands by which a script runs another. */
  static readonly commands: readonly string[] = ["bash", "sh", "env", "timeout"];
  readonly #sink: Sink;
  readonly #prepare: Prepare;

  constructor(sink: Sink, prepare: Prepare) {
    this.#sink = sink;
    this.#prepare = prepare;
  }

  commands(): CustomCommand[] {
    return [
      command("bash", this.#shell("bash")),
      command("sh", this.#shell("sh")),
      command("env", (args, context) => this.#env(args, context)),
      command("timeout", (args, context) => this.#inOrder(context, () => context.origCommand!(args))),
    ];
  }

  /** Runs a script's text; its streams are one if those of the command that runs it are. */
  async run(
    text: string,
    words: readonly [string, ...string[]],
    context: CommandContext,
  ): Promise<ExecResult> {
    const [name, ...args] = words;
    const { cwd, exportedEnv = {}, execWithInheritedStdin } = context;
    const numbered = Object.fromEntries(args.map((arg, at) => [String(at + 1), arg]));
    const all = args.join(" ");
    const env = { ...exportedEnv, 0: name, "#": String(args.length), "@": all, "*": all, ...numbered };
    const script = exportOf(exportedEnv) + text.replace(/^#!.*/, "");
    // Without `rawScript`, which the type does not name, the shell would take the spaces off each line.
    const options = { env, cwd, rawScript: true };
    return this.#inOrder(context, () => execWithInheritedStdin!(script, options));
  }

  #shell(name: string): (args: string[], context: CommandContext) => Promise<ExecResult> {
    return async (args, context) => {
      const given = shellArgs(args);
      if ("unknown" in given) return wrote(Buffer.alloc(0), `${name}: ${given.unknown}: invalid option\n`, 2);
      const { set, rest, isText, readsInput } = given;
      const [first, ...more] = rest;
      if (isText && first === undefined) {
        return wrote(Buffer.alloc(0), `${name}: -c: option requires an argument\n`, 2);
      }
      if (isText) return this.run(set + first, [more[0] ?? name, ...more.slice(1)], context);
      if (first === undefined || readsInput) {
        const text = Buffer.from(context.stdin as unknown as string, "latin1").toString();
        return this.run(set + text, [name, ...rest], { ...context, execWithInheritedStdin: context.exec! });
      }
      try {
        const text = await context.fs.readFile(context.fs.resolvePath(context.cwd, first));
        return await this.run(set + text.replace(/^#!.*/, ""), [first, ...more], context);
      } catch (error) {
        if (!(error instanceof Error && "code" in error)) throw error;
        const why = error.code === "EISDIR" ? "Is a directory" : "No such file or directory";
        return wrote(Buffer.alloc(0), `${name}: ${first}: ${why}\n`, error.code === "EISDIR" ? 126 : 127);
      }
    };
  }

  /** The shell's own runs a command in a way in which its name is not seen beforehand. */
  #env(args: readonly string[], context: CommandContext): Promise<ExecResult> {
    const env = { ...context.exportedEnv };
    let at = 0;
    for (; at < args.length; at++) {
      const word = args[at]!;
      const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
      if (word === "-i" || word === "-") for (const each of Object.keys(env)) delete env[each];
      else if (word === "-u") delete env[args[++at] ?? ""];
      else if (name !== undefined && !word.startsWith("-")) env[name] = value;
      else break;
    }
    const words = args.slice(at);
    if (words.length === 0 || words[0]!.startsWith("-")) return context.origCommand!([...args]);
    return this.run(words.map(quoted).join(" "), ["bash"], { ...context, exportedEnv: env });
  }

  async #inOrder(context: CommandContext, run: () => Promise<ExecResult>): Promise<ExecResult> {
    if (!isMarkedSame(context.fileDescriptors)) return run();
    let result: ExecResult | undefined;
    this.#prepare.mergesNext = true;
    try {
      const written = await this.#sink.within(async () => {
        result = await run();
      });
      return wrote(Buffer.concat([written, stdoutOf(result!)]), result!.stderr, result!.exitCode);
    } finally {
      this.#prepare.mergesNext = false;
    }
  }
}

interface ShellArgs {
  /** Sets the shell's options. */
  readonly set: string;
  readonly rest: readonly string[];
  readonly isText: boolean;
  readonly readsInput: boolean;
}

/** `bash -exc TEXT NAME ARG...`; a login shell or an interactive one is like any other. */
function shellArgs(args: readonly string[]): ShellArgs | { readonly unknown: string } {
  let [set, isText, readsInput, at] = ["", false, false, 0];
  for (; at < args.length; at++) {
    const word = args[at]!;
    if (word === "--" || word === "-") {
      at++;
      break;
    }
    if (/^--(login|norc|noprofile|posix)$/.test(word)) continue;
    if (!/^[-+]./.test(word)) break;
    for (const letter of word.slice(1)) {
      if (letter === "c") isText = true;
      else if (letter === "s") readsInput = true;
      else if (letter === "o") set += `set ${word[0]}o ${args[++at] ?? ""}; `;
      else if ("abefhkmnptuvxBCEHPT".includes(letter)) set += `set ${word[0]}${letter}; `;
      else if (!"lir".includes(letter)) return { unknown: word };
    }
  }
  return { set, rest: args.slice(at), isText, readsInput };
}
