import { FileError } from "../../../core/errors.ts";
import type { Tool, ToolContext, ToolResult } from "../types.ts";

/** What the agent did wrong, in words for it. It never leaves a tool: {@link tool} makes a result of it. */
export class AgentMistake extends Error {}

export type Arguments = Readonly<Record<string, string>>;

/** Puts around an answer what the scaffold puts around it. */
export type Frame = (text: string, exitCode: number | null) => string;

/** A tool whose body may throw {@link AgentMistake}; a file that cannot be read or written is the agent's business too. */
export function tool(
  run: (args: Arguments, context: ToolContext) => Promise<ToolResult>,
  frame: Frame,
): Tool {
  return {
    async run(args, context) {
      try {
        const result = await run(args, context);
        return { ...result, text: frame(result.text, result.exitCode) };
      } catch (error) {
        if (!(error instanceof AgentMistake || error instanceof FileError)) throw error;
        return { text: frame(`ERROR: ${error.message}`, null), exitCode: null };
      }
    },
  };
}

/** The argument that a tool cannot do without. An empty one counts as given. @throws {AgentMistake} */
export function required(args: Arguments, name: string): string {
  const value = given(args, name);
  if (value === undefined) throw new AgentMistake(`Parameter \`${name}\` is missing.`);
  return value;
}

export function given(args: Arguments, name: string): string | undefined {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}
