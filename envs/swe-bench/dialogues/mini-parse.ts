import type { SweAction } from "../types.ts";

/** A command in the form that prompts and messages show. */
export function inTicks(command: string): string {
  return `\`\`\`mswea_bash_command\n${command}\n\`\`\``;
}

/** Where a command starts. */
const OPENING = /```mswea_bash_command[^\S\n]*\n|<mswea_bash_command>/g;

/**
 * The one command in a reply, as mini-swe-agent reads it: between a line "```mswea_bash_command" and the next line
 * that starts with three backticks, or between `<mswea_bash_command>` tags. What stands inside a command is part of
 * it and no other command; a command cannot hold what ends it. Linear in the reply's length.
 */
export function parseMiniReply(reply: string): SweAction {
  const commands = commandsIn(reply);
  if (commands.length === 1) return { tool: "bash", arguments: { command: commands[0]!.trim() } };
  const count = commands.length === 0 ? "no command" : `${commands.length} commands`;
  return {
    invalid: `Your reply held ${count}, so nothing was run. Write exactly one, in this form:\n${inTicks("COMMAND")}`,
  };
}

function commandsIn(reply: string): string[] {
  const commands: string[] = [];
  const unclosed = new Set<string>();
  const opening = new RegExp(OPENING);
  for (let found = opening.exec(reply); found; found = opening.exec(reply)) {
    const from = opening.lastIndex;
    const close = found[0].startsWith("<") ? "</mswea_bash_command>" : "\n```";
    // Looked for once: what does not end here does not end further on.
    const end = unclosed.has(close) ? -1 : reply.indexOf(close, from);
    if (end < 0) {
      unclosed.add(close);
      continue;
    }
    commands.push(reply.slice(from, end));
    opening.lastIndex = end + close.length;
  }
  return commands;
}
