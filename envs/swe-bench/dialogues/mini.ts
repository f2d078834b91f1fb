import type { Dialogue } from "../../../core/dialogue.ts";
import type { SweInstance } from "../instance.ts";
import { SUBMIT_LINE } from "../tools/mini-bash.ts";
import type { SweAction, SweObservation } from "../types.ts";
import { inTicks, parseMiniReply } from "./mini-parse.ts";

const SYSTEM = `You are a programmer who works on a computer through bash alone. Each of your replies says what you think and holds exactly one command, in this form:

${inTicks("COMMAND")}

A command can have several lines, or several commands joined with && or ||. Replies with no such block, or with more than one, are refused.`;

function frameOf(problem: string): string {
  return `<pr_description>
${problem}
</pr_description>

<instructions>
Change the source code in /testbed so that what the description asks for holds in general, not only for its examples.

Each reply: what you think and plan, then one command. You see its return code and output before the next.

What to change: source files in /testbed. What to leave: tests, and the project's configuration.

Steps:
1. Find and read the code in question.
2. Write a script that shows the problem.
3. Change the source.
4. Run the script again.
5. Try other cases.

Commands: each runs in a new shell in /testbed, so folders and variables do not last; put "cd folder &&" or "NAME=value" before the command that needs them. Nothing that waits for input. A command that takes over 60 seconds is stopped. Edit files with sed, with a here-document, or with a script.

To hand in your work, remove what you made on the way and send this command, alone:

${inTicks(`echo ${SUBMIT_LINE}`)}

The changes in /testbed are then taken as they are, and you can do nothing more.
</instructions>`;
}

/** The words of mini-swe-agent, with commands as text. */
export const miniDialogue: Dialogue<SweInstance, SweObservation, SweAction> = {
  name: "swe-bench/mini",
  opening: () => [{ role: "system", content: SYSTEM }],
  observe: (task, node) => ({
    role: "user",
    content: node.parent === undefined ? frameOf(task.data.problemStatement) : node.observation.text,
  }),
  parse: parseMiniReply,
};
