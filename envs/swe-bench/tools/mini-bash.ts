import { PATCH_BYTES } from "../patch.ts";
import type { Tool, ToolResult } from "../types.ts";
import { headOf, tailOf } from "./clip.ts";
import { type CommandEnd, runCommand } from "./run-command.ts";
import { required, tool } from "./tool.ts";

/** An output of so many characters or more is shown by its ends, so many from each. Source: mini-swe-agent. */
const LONG = 10_000;
const END_CHARACTERS = 5_000;

/** What a first line of output must be to end the episode. Source: mini-swe-agent. */
export const SUBMIT_LINE = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";

/**
 * mini-swe-agent's only tool. Each command has a shell of its own. What it answers looks like its observations. As
 * there, what is printed below {@link SUBMIT_LINE} is the patch; if nothing is, the patch is left to git.
 */
export const miniBash: Tool = tool(
  async (args, context) => {
    const command = required(args, "command");
    // Of a patch that is handed in nothing may be missing.
    const options = command.includes(SUBMIT_LINE) ? { outputBytes: 2 * PATCH_BYTES } : {};
    const end = await runCommand(context, command, options);
    return { text: shown(end), exitCode: end.exitCode, ...submissionOf(end) };
  },
  (text) => text,
);

function submissionOf({ exitCode, output, omittedBytes }: CommandEnd): Partial<ToolResult> {
  const [first, patch] = parted(output.trimStart());
  if (exitCode !== 0 || first.trim() !== SUBMIT_LINE) return {};
  if (omittedBytes > 0) return { submitted: true, submission: null };
  return { submitted: true, ...(patch.trim() !== "" && { submission: patch }) };
}

/** The first line, and what is below it. */
function parted(text: string): [string, string] {
  const end = text.indexOf("\n");
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
}

function shown({ exitCode, output, omittedBytes, note }: CommandEnd): string {
  const head = [
    ...(note === "" ? [] : [`<exception>${note}</exception>`]),
    `<returncode>${exitCode}</returncode>`,
  ];
  if (output.length < LONG && omittedBytes === 0) return [...head, `<output>\n${output}</output>`].join("\n");
  const elided = output.length - 2 * END_CHARACTERS + omittedBytes;
  return [
    ...head,
    "<warning>The output is too long to be shown whole. Write it to a file, or show the part that you need with head, tail, sed or grep.</warning>",
    `<output_head>\n${headOf(output, END_CHARACTERS)}\n</output_head>`,
    `<elided_chars>${elided} characters elided</elided_chars>`,
    `<output_tail>\n${tailOf(output, END_CHARACTERS)}\n</output_tail>`,
  ].join("\n");
}
