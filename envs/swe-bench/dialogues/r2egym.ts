import type { Dialogue } from "../../../core/dialogue.ts";
import type { SweInstance } from "../instance.ts";
import type { SweAction, SweObservation } from "../types.ts";
import { editorText } from "./editor-text.ts";
import { functionDialogue } from "./function-dialogue.ts";

const CONCISE = [
  "    concise (optional): True leaves longer bodies of functions out of a Python file; long Python files are shown",
  "      so unless view_range is given.",
];

const TOOLS = `${editorText("file_editor", CONCISE)}

search: finds a text in files.
  search_term (required): one line, taken literally.
  path (optional): a file, of which the lines are shown, or a folder, of which the files are listed. The default is the current folder.
  If more than 100 files hold the text, search again in a smaller folder or for more of it.

execute_bash: runs a command in a shell in /testbed, for at most 90 seconds.
  cmd (required): the command.
  Each command has a new shell: folders and variables do not last. cd, ipython, jupyter, pip and nohup are refused as first words. Of more than 80 lines of output the first and last 40 are shown.

finish: says that you are done.
  command (required): submit.`;

/** The words of the R2E-Gym scaffold. */
export const r2egymDialogue: Dialogue<SweInstance, SweObservation, SweAction> = functionDialogue({
  name: "r2egym",
  tools: TOOLS,
  finish: "finish",
});
