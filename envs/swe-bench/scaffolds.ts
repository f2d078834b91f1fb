import { miniDialogue } from "./dialogues/mini.ts";
import { r2egymDialogue } from "./dialogues/r2egym.ts";
import { sweagentDialogue } from "./dialogues/sweagent.ts";
import { editor } from "./tools/editor.ts";
import { executeBash } from "./tools/execute-bash.ts";
import { finish } from "./tools/finish.ts";
import { outputOf } from "./tools/frame.ts";
import { miniBash } from "./tools/mini-bash.ts";
import { search } from "./tools/search.ts";
import type { Scaffold, Tool } from "./types.ts";

/** Without a prototype, so that a model's "constructor" is an unknown tool and no function of ours. */
function toolbox(tools: Readonly<Record<string, Tool>>): Scaffold["tools"] {
  return Object.freeze(Object.assign(Object.create(null), tools) as Record<string, Tool>);
}

/**
 * The ways of working that the field trains and tests with, over the same Env. Formats and limits are theirs, the
 * words are ours; docs/swe-bench.md says what differs. Sources: R2E-Gym as rLLM v0.2.1 takes it
 * (agentica-project/R2E-Gym 353348a, agenthub), rLLM v0.2.1 (swe.py, swe_agent.py), mini-swe-agent v2.4.6
 * (swebench.yaml).
 */
export const scaffolds: Readonly<Record<"r2egym" | "sweagent" | "mini", Scaffold>> = {
  r2egym: {
    name: "r2egym",
    tools: toolbox({
      file_editor: editor({ condensedFrom: 110 }, outputOf("file_editor")),
      search: search(outputOf("search")),
      execute_bash: executeBash,
      finish,
    }),
    dialogue: r2egymDialogue,
    timeoutMs: 90_000,
    turns: 50,
  },
  sweagent: {
    name: "sweagent",
    tools: toolbox({
      execute_bash: executeBash,
      str_replace_editor: editor({ condensedFrom: Number.POSITIVE_INFINITY }, outputOf("str_replace_editor")),
      submit: finish,
    }),
    dialogue: sweagentDialogue,
    timeoutMs: 90_000,
    turns: 50,
  },
  mini: {
    name: "mini",
    tools: toolbox({ bash: miniBash }),
    dialogue: miniDialogue,
    timeoutMs: 60_000,
    turns: 250,
  },
};

/** What an agent is told that calls a tool which its scaffold does not have. */
export function unknownTool(scaffold: Scaffold, name: string): string {
  const known = Object.keys(scaffold.tools).join(", ");
  return `There is no function ${JSON.stringify(name.slice(0, 100))}, so nothing was done. These are there: ${known}.`;
}
