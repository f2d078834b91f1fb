import type { Dialogue } from "../../../core/dialogue.ts";
import type { SweInstance } from "../instance.ts";
import type { SweAction, SweObservation } from "../types.ts";
import { BASH_RULES } from "./bash-rules.ts";
import { editorText } from "./editor-text.ts";
import { functionDialogue } from "./function-dialogue.ts";

const TOOLS = `execute_bash: runs a command in a shell in /testbed, for at most 90 seconds.
  command (required): the command.
  ${BASH_RULES}

${editorText("str_replace_editor", { view: [], undo: false })}

submit: says that you are done. It takes no parameters.`;

/** The words of rLLM's SWE-agent scaffold, which PATR trains with. */
export const sweagentDialogue: Dialogue<SweInstance, SweObservation, SweAction> = functionDialogue({
  name: "sweagent",
  tools: TOOLS,
  finish: "submit",
});
