import { posix } from "node:path";
import type { Tool, ToolContext, ToolResult } from "../types.ts";
import { asWritten } from "./clip.ts";
import { applied, type Edit, insertAfter, linesOf, plain, replaceOnce } from "./edit.ts";
import { folderView } from "./folder.ts";
import { absolute, kindOf, probe } from "./probe.ts";
import { readText } from "./text-file.ts";
import { AgentMistake, type Arguments, type Frame, given, required, tool } from "./tool.ts";
import { remember, takeBack } from "./undo.ts";
import { fileView, snippet, type ViewStyle } from "./view.ts";

/**
 * The editor of the R2E-Gym and SWE-agent scaffolds: view, create, str_replace, insert, undo_edit. It shows Python
 * files alone and edits all, in UTF-8 and of up to 8 MiB. It keeps their line ends, byte order mark and missing final newline. What can be undone is
 * in the memory, so a fork has it. Source of the commands and sizes: R2E-Gym, agenthub/tools.
 */
export function editor(style: ViewStyle, frame: Frame): Tool {
  return tool(async (args, context) => {
    const command = required(args, "command").trim();
    const run = COMMANDS[command as keyof typeof COMMANDS];
    if (!Object.hasOwn(COMMANDS, command)) {
      throw new AgentMistake(
        `Parameter \`command\` must be one of ${Object.keys(COMMANDS).join(", ")}; it was ${JSON.stringify(command.slice(0, 100))}.`,
      );
    }
    return run({ args, context, style, path: absolute(context, required(args, "path").trim()) });
  }, frame);
}

interface Call {
  readonly args: Arguments;
  readonly context: ToolContext;
  readonly style: ViewStyle;
  readonly path: string;
}

const COMMANDS = { view, create, str_replace: strReplace, insert, undo_edit: undoEdit };

async function view({ args, context, style, path }: Call): Promise<ToolResult> {
  const range = given(args, "view_range")?.trim() || undefined;
  const { kind } = await kindOf(context, path);
  if (kind === "folder") {
    if (range !== undefined) throw new AgentMistake(`${path} is a folder; \`view_range\` is for files.`);
    return { text: await folderView(context, path), exitCode: null };
  }
  if (kind === "file" && posix.extname(path) !== ".py") {
    throw new AgentMistake(
      `${path} is no Python file (.py), and \`view\` shows no others, to save context. Use \`execute_bash\`.`,
    );
  }
  const concise = /^true$/i.test(given(args, "concise")?.trim() ?? "");
  const text = await readText(context, path);
  return { text: fileView({ path, text, range, concise }, style), exitCode: null };
}

async function create({ args, context, path }: Call): Promise<ToolResult> {
  const text = asWritten(required(args, "file_text"));
  const { kind } = await kindOf(context, path);
  if (kind === "folder") throw new AgentMistake(`${path} is a folder.`);
  if (kind !== "missing")
    throw new AgentMistake(`${path} is there already; \`create\` replaces nothing. Use \`str_replace\`.`);
  await context.sandbox.writeFile(path, text);
  const memory = remember(context.memory, path, { at: 0, removed: "", added: text }, text, true);
  return { text: `${path} was created with ${numLines(text)}.`, exitCode: null, memory };
}

async function strReplace({ args, context, path }: Call): Promise<ToolResult> {
  const old = required(args, "old_str");
  const text = await readText(context, path);
  return edited(context, path, text, replaceOnce(text, old, given(args, "new_str") ?? ""));
}

async function insert({ args, context, path }: Call): Promise<ToolResult> {
  const line = required(args, "insert_line").trim();
  if (!/^\d{1,9}$/.test(line))
    throw new AgentMistake("`insert_line` must be the number of the line to insert after; 0 is the top.");
  const fresh = required(args, "new_str");
  const text = await readText(context, path);
  return edited(context, path, text, insertAfter(text, Number(line), fresh));
}

async function edited(context: ToolContext, path: string, text: string, edit: Edit): Promise<ToolResult> {
  const now = applied(text, edit);
  await context.sandbox.writeFile(path, now);
  const around = snippet(path, now, edit.line, plain(edit.added).split("\n").length);
  return {
    text: `${path} was edited. ${around}`,
    exitCode: null,
    memory: remember(context.memory, path, edit, now),
  };
}

async function undoEdit({ context, path }: Call): Promise<ToolResult> {
  const back = takeBack(context.memory, path, await readText(context, path));
  const { text, memory } = back;
  if (text === undefined) {
    const said = await probe(context, 'rm -f -- "$1"', path);
    if (said !== "") throw new AgentMistake(said.trim());
    return { text: `The creation of ${path} was undone: it is gone.`, exitCode: null, memory };
  }
  await context.sandbox.writeFile(path, text);
  const around = snippet(path, text, plain(text.slice(0, back.at)).split("\n").length, 1);
  return { text: `The last edit of ${path} was undone. ${around}`, exitCode: null, memory };
}

function numLines(text: string): string {
  const count = linesOf(text).length;
  return count === 1 ? "1 line" : `${count} lines`;
}
