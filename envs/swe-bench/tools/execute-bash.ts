import type { Tool } from "../types.ts";
import { headOf, tailOf } from "./clip.ts";
import { outputOf } from "./frame.ts";
import { type CommandEnd, runCommand } from "./run-command.ts";
import { AgentMistake, given, tool } from "./tool.ts";

/** How a scaffold runs commands. */
export interface BashRules {
  /** First words of commands that are refused. */
  readonly blocked: readonly string[];
  /** Whether the folder and the variables last from one command to the next. */
  readonly keepShell: boolean;
}

/** Of an output with more than twice so many lines, so many are shown from each end. Source: R2E-Gym. */
const END_LINES = 40;

/** And so many characters at most from each end: there, lines of any length pass. */
const END_CHARACTERS = 10_000;

/** execute_bash of the R2E-Gym and SWE-agent scaffolds. The command is in `cmd` or in `command`. */
export function executeBash({ blocked, keepShell }: BashRules): Tool {
  const output = outputOf("execute_bash");
  return tool(
    async (args, context) => {
      const command = given(args, "cmd") ?? given(args, "command");
      if (command === undefined) throw new AgentMistake("The parameter with the command is missing.");
      const [first = ""] = /\S+/.exec(command) ?? [];
      if (blocked.includes(first))
        throw new AgentMistake(`\`${first}\` is not allowed as the first word of a command.`);
      const end = await runCommand(context, command, { keepShell });
      return { text: shown(end), exitCode: end.exitCode };
    },
    (text, exitCode) => (exitCode === null ? "" : `Exit code: ${exitCode}\n`) + output(text),
  );
}

function shown(end: CommandEnd): string {
  const text = ends(end);
  if (end.note === "") return text;
  return text === "" || text.endsWith("\n") ? text + end.note : `${text}\n${end.note}`;
}

/** The output, with its middle left out if it is long. */
function ends({ output, omittedBytes }: CommandEnd): string {
  const lines = output.replace(/\n$/, "").split("\n");
  const left = lines.length - 2 * END_LINES;
  if (left <= 0 && omittedBytes === 0 && output.length <= 2 * END_CHARACTERS) return output;
  const head = left > 0 ? lines.slice(0, END_LINES).join("\n") : output;
  const tail = left > 0 ? lines.slice(-END_LINES).join("\n") : output;
  const count = left > 0 ? ` (${left} lines${omittedBytes > 0 ? " and more" : ""})` : "";
  const mark = `----- The middle of the output${count} was left out to save context. -----`;
  return `${headOf(head, END_CHARACTERS)}\n${mark}\n${tailOf(tail, END_CHARACTERS)}`;
}
