import type { CommandContext, CustomCommand, ExecResult } from "just-bash";
import type { FileTree } from "../tree/file-tree.ts";
import { command, quoted, wrote } from "./command.ts";
import type { Scripts } from "./scripts.ts";

/**
 * `./run.py ARG...`: runs a file by its path as a kernel does, by what its first line says; a file without such a
 * line is a script of the shell.
 */
export function runFileCommand(tree: FileTree, scripts: Scripts): CustomCommand {
  return command("forkgym-run", async ([path = "", ...args], context) => {
    const node = find(tree, context.fs.resolvePath(context.cwd, path));
    if (!node) return failed(`${path}: No such file or directory`, 127);
    if (node.kind === "folder") return failed(`${path}: Is a directory`, 126);
    if ((node.mode & 0o111) === 0) return failed(`${path}: Permission denied`, 126);
    const text = Buffer.from(node.content).toString();
    const [, line] = /^#![ \t]*(.*?)[ \t\r]*(?:\n|$)/.exec(text) ?? [];
    if (line === undefined) return scripts.run(text, [path, ...args], context);
    const words = interpreterOf(line);
    const name = words[0]?.replace(/^.*\//, "") ?? "";
    if (name === "bash" || name === "sh" || name === "dash") {
      return shell([name === "dash" ? "sh" : name, ...words.slice(1), path, ...args], context);
    }
    if (find(tree, `/usr/bin/${name}`)) return shell([name, ...words.slice(1), path, ...args], context);
    return failed(`${path}: ${words[0]}: bad interpreter: No such file or directory`, 126);
  });

  function shell(words: readonly string[], context: CommandContext): Promise<ExecResult> {
    return scripts.run(words.map(quoted).join(" "), ["bash"], context);
  }
}

function find(tree: FileTree, path: string): ReturnType<FileTree["stat"]> | undefined {
  try {
    return tree.stat(path);
  } catch {
    return undefined;
  }
}

/** `/usr/bin/env -S python3 -u` is `python3 -u`. */
function interpreterOf(line: string): string[] {
  const words = line.split(/[ \t]+/).filter(Boolean);
  if (!/(^|\/)env$/.test(words[0] ?? "")) return words;
  return words.slice(words[1] === "-S" ? 2 : 1);
}

function failed(message: string, exitCode: number): ExecResult {
  return wrote(Buffer.alloc(0), `bash: ${message}\n`, exitCode);
}
