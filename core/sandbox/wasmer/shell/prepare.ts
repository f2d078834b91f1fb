import type { ScriptNode, SimpleCommandNode, TransformPlugin } from "just-bash";
import { folderGlobs } from "./folder-globs.ts";
import { mergeStreams } from "./merge.ts";
import { forLoopsIn, simpleCommandsIn, splitRanges } from "./nodes.ts";
import { isSame, markSame, textOf, wordOf } from "./redirections.ts";

/** Runs a file, see `run-file.ts`. */
export const RUN = "/usr/bin/forkgym-run";

/** Commands that run the one named behind them. */
const PREFIXES = new Set(["command", "exec"]);

/**
 * What is done to every script before it runs, also to those that commands like `bash` run: files that it runs by
 * their paths are run by us, commands that can keep the order of their streams are told so, and the streams are
 * merged if that is wanted.
 */
export class Prepare {
  /** Whether the streams of the script that is parsed next are to be one. */
  mergesNext = false;
  readonly #keepsOrder: (command: string) => boolean;

  constructor(keepsOrder: (command: string) => boolean) {
    this.#keepsOrder = keepsOrder;
  }

  get plugin(): TransformPlugin {
    const transform = ({ ast }: { ast: ScriptNode }): { ast: ScriptNode } => {
      const merges = this.mergesNext;
      this.mergesNext = false;
      const isMarked = (command: SimpleCommandNode): boolean => this.#keepsOrder(commandOf(command));
      splitRanges(ast);
      folderGlobs(ast, forLoopsIn(ast));
      for (const command of simpleCommandsIn(ast)) {
        runByUs(command);
        if (isMarked(command) && isSame(command.redirections, false)) command.redirections.push(markSame());
      }
      if (merges) mergeStreams(ast, isMarked);
      return { ast };
    };
    return { name: "forkgym-prepare", transform } as unknown as TransformPlugin;
  }
}

/** The shell itself takes every file for a script of its own, whatever its first line says. */
function runByUs(command: SimpleCommandNode): void {
  const { name, args } = command;
  if (!name) return;
  if (isPath(name)) {
    args.unshift(name);
    command.name = wordOf(RUN);
  } else if (PREFIXES.has(textOf(name) ?? "") && args[0] && isPath(args[0])) args.unshift(wordOf(RUN));
}

function isPath({ parts }: NonNullable<SimpleCommandNode["name"]>): boolean {
  const text = textOf({ type: "Word", parts });
  if (text !== undefined) return text.includes("/") && !/^(\/usr)?\/bin\//.test(text);
  return parts.some((part) => part.type === "Literal" && part.value.includes("/"));
}

/** The name of the command that runs, without `/bin/` and `/usr/bin/`; empty if it is known only when it runs. */
function commandOf({ name, args }: SimpleCommandNode): string {
  const words = [...(name ? [name] : []), ...args].map((word) => textOf(word) ?? "");
  const first = PREFIXES.has(words[0] ?? "") ? words[1] : words[0];
  return first?.replace(/^(\/usr)?\/bin\//, "") ?? "";
}
