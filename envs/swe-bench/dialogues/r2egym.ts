import type { Dialogue } from "../../../core/dialogue.ts";
import type { SweInstance } from "../instance.ts";
import type { SweAction, SweObservation } from "../types.ts";
import { BASH_RULES } from "./bash-rules.ts";
import { editorText } from "./editor-text.ts";
import { functionDialogue } from "./function-dialogue.ts";

const CONCISE = [
  "    concise (optional): True leaves longer bodies of functions out of a Python file; long Python files are shown",
  "      so unless view_range is given.",
];

const TOOLS = `${editorText("file_editor", { view: CONCISE, undo: true })}

search: finds a text in files.
  search_term (required): one line. In a folder it is taken literally, in a file as a basic regular expression of grep.
  path (optional): a file, of which the lines are shown, or a folder, of which the Python files (.py) are listed. The default is /testbed.
  If more than 100 files hold the text, search again in a smaller folder or for more of it.

execute_bash: runs a command in a shell in /testbed, for at most 90 seconds.
  cmd (required): the command.
  ${BASH_RULES}

finish: says that you are done.
  command (required): submit.`;

/** The words of the R2E-Gym scaffold. */
export const r2egymDialogue: Dialogue<SweInstance, SweObservation, SweAction> = functionDialogue({
  name: "r2egym",
  tools: TOOLS,
  finish: "finish",
});
