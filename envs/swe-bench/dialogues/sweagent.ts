import type { Dialogue } from "../../../core/dialogue.ts";
import type { SweInstance } from "../instance.ts";
import type { SweAction, SweObservation } from "../types.ts";
import { editorText } from "./editor-text.ts";
import { functionDialogue } from "./function-dialogue.ts";

const TOOLS = `execute_bash: runs a command in a shell that starts in /testbed, for at most 90 seconds.
  command (required): the command.
  The folder that you are in and the variables that you export last to the next command; processes do not. git, ipython, jupyter and nohup are refused as first words. Of more than 80 lines of output the first and last 40 are shown.

${editorText("str_replace_editor", [])}

submit: says that you are done. It takes no parameters.`;

/** The words of rLLM's SWE-agent scaffold, which PATR trains with. */
export const sweagentDialogue: Dialogue<SweInstance, SweObservation, SweAction> = functionDialogue({
  name: "sweagent",
  tools: TOOLS,
  finish: "submit",
});
