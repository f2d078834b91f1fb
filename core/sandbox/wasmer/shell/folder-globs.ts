import type { CustomCommand, SimpleCommandNode, WordNode } from "just-bash";
import type { FileTree } from "../tree/file-tree.ts";
import { command, wrote } from "./command.ts";
import { type ForNode, simpleCommandsIn } from "./nodes.ts";
import { wordOf } from "./redirections.ts";

const FOLDERS = "/usr/bin/forkgym-folders";

/**
 * A pattern with a slash at its end is for folders alone. The shell gives files too, and no slash, so a substitution
 * stands in for it, which leaves out what is no folder.
 */
export function folderGlobs(ast: unknown, loops: readonly ForNode[]): void {
  for (const each of simpleCommandsIn(ast)) each.args = each.args.map(foldersOnly);
  for (const loop of loops) if (loop.words) loop.words = loop.words.map(foldersOnly);
}

function foldersOnly(word: WordNode): WordNode {
  const last = word.parts.at(-1);
  if (last?.type !== "Literal" || last.value !== "/" || !word.parts.some(({ type }) => type === "Glob"))
    return word;
  const pattern = word.parts
    .map((part) => (part.type === "Literal" ? part.value : part.type === "Glob" ? part.pattern : ""))
    .join("");
  const call: SimpleCommandNode = {
    type: "SimpleCommand",
    assignments: [],
    name: wordOf(FOLDERS),
    args: [{ type: "Word", parts: [{ type: "SingleQuoted", value: pattern }] }, word],
    redirections: [],
  };
  const pipeline = { type: "Pipeline" as const, commands: [call], negated: false };
  const statement = { type: "Statement" as const, pipelines: [pipeline], operators: [], background: false };
  const body = { type: "Script" as const, statements: [statement] };
  return { type: "Word", parts: [{ type: "CommandSubstitution", body, legacy: false }] };
}

/** @param notes where it says what it leaves out */
export function foldersCommand(tree: FileTree, notes: string[]): CustomCommand {
  return command("forkgym-folders", async ([pattern = "", ...names], { fs, cwd }) => {
    const folders = names.filter((name) => isFolder(tree, fs.resolvePath(cwd, name)));
    const odd = folders.find((name) => /\s/.test(name));
    if (odd !== undefined) {
      notes.push(
        `bash: ${pattern}: a folder with blanks in its name, '${odd}', is left out; use find -type d\n`,
      );
      return wrote(Buffer.from(lines(folders.filter((name) => !/\s/.test(name)))), "", 1);
    }
    // What matches nothing stays as it is; in brackets, so that the shell does not take it for a pattern again.
    const none = [pattern.replace(/[*?]/g, "[$&]").replace(/\/$/, "")];
    return wrote(Buffer.from(lines(folders.length > 0 ? folders : none)), "", 0);
  });
}

function lines(names: readonly string[]): string {
  return names.map((name) => `${name.replace(/\/$/, "")}/\n`).join("");
}

function isFolder(tree: FileTree, path: string): boolean {
  try {
    return tree.find(path)?.kind === "folder";
  } catch {
    return false;
  }
}
