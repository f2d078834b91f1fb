import type { Tool } from "../types.ts";
import { headOf, tailOf } from "./clip.ts";
import { outputOf } from "./frame.ts";
import { type CommandEnd, runCommand } from "./run-command.ts";
import { AgentMistake, given, tool } from "./tool.ts";

/** First words of commands that are refused. Source: R2E-Gym. */
const BLOCKED: readonly string[] = ["git", "ipython", "jupyter", "nohup"];

/** Of an answer with more than twice so many lines, so many are shown from each end. Source: R2E-Gym. */
const END_LINES = 40;

/** And so many characters at most from each end: there, lines of any length pass. */
const END_CHARACTERS = 10_000;

const DASHES = "-".repeat(50);

/** What stands where the middle was left out. Source: R2E-Gym. */
const CUT = `${DASHES}\n<Observation truncated in middle for saving context>\n${DASHES}`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with ESC.
const COLOURS = /\x1b\[[0-9;]*m/g;

const output = outputOf("execute_bash");

/**
 * execute_bash of the R2E-Gym and SWE-agent scaffolds. The command is in `cmd` or in `command`, and has a new shell in
 * the repository's folder. Stdout and stderr come apart, in R2E-Gym's form; of a command that ran out of time, none.
 */
export const executeBash: Tool = tool(
  async (args, context) => {
    const command = given(args, "cmd") ?? given(args, "command");
    if (command === undefined) throw new AgentMistake("The parameter with the command is missing.");
    const [first = ""] = /\S+/.exec(command) ?? [];
    if (BLOCKED.includes(first))
      return { text: `\`${first}\` is not allowed as the first word of a command.`, exitCode: 1 };
    const end = await runCommand(context, command, { apart: true });
    const text = end.timedOut
      ? `The command took too long to execute (>${context.timeoutMs / 1000}s)`
      : ends(shown(end));
    return { text, exitCode: end.exitCode };
  },
  (text, exitCode) => (exitCode === null ? "" : `Exit code: ${codeText(exitCode)}\n`) + output(text),
);

/** R2E-Gym's way to say it; -1 is a time-out. */
function codeText(exitCode: number): string {
  return exitCode > 0 ? `Error: Exit code ${exitCode}` : `${exitCode}`;
}

function shown({ exitCode, output, errors, note }: CommandEnd): string {
  const [out, err] = [output, errors].map((text) => text.replace(/\r\n?/g, "\n").trim());
  const both = `[STDOUT]\n\n${out} \n\n[STDERR]\n\n${err}\n${note === "" ? "" : `${note}\n`}`;
  return exitCode === 0 ? both.replace(COLOURS, "") : `Error executing command:\n\n${both}`;
}

/** The text, with its middle left out if it is long. */
function ends(text: string): string {
  const lines = text.replace(/\n$/, "").split("\n");
  const isLong = lines.length > 2 * END_LINES;
  if (!isLong && text.length <= 2 * END_CHARACTERS) return text;
  const head = isLong ? lines.slice(0, END_LINES).join("\n") : text;
  const tail = isLong ? lines.slice(-END_LINES).join("\n") : text;
  return `${headOf(head, END_CHARACTERS)}\n${CUT}\n${tailOf(tail, END_CHARACTERS)}`;
}
