import type { CommandNode, ScriptNode, SimpleCommandNode, StatementNode, TransformPlugin } from "just-bash";

/**
 * Sends what each command writes to stderr to stdout, in the order written. The shell collects the two streams apart,
 * so `2>&1` on the whole script would lose the order; on each command it keeps it. Left alone are pipelines up to
 * their last command, functions and substitutions, where stdout is not the script's own.
 */
export const mergeStreams = {
  name: "forkgym-merge",
  transform({ ast }: { ast: ScriptNode }): { ast: ScriptNode } {
    ast.statements.forEach(mergeStatement);
    return { ast };
  },
} as unknown as TransformPlugin;

function mergeStatement(statement: StatementNode): void {
  for (const { commands } of statement.pipelines) {
    const last = commands.at(-1);
    if (last) mergeCommand(last);
  }
}

function mergeCommand(command: CommandNode): void {
  switch (command.type) {
    case "SimpleCommand":
      if (command.name) command.redirections.unshift(stderrToStdout());
      break;
    case "If":
      for (const { condition, body } of command.clauses) mergeAll(condition, body);
      mergeAll(command.elseBody ?? []);
      break;
    case "While":
    case "Until":
      if (command.redirections.length > 0) command.redirections.unshift(stderrToStdout());
      else mergeAll(command.condition, command.body);
      break;
    case "For":
    case "CStyleFor":
    case "Group":
    case "Subshell":
      if (command.redirections.length > 0) command.redirections.unshift(stderrToStdout());
      else mergeAll(command.body);
      break;
    case "Case":
      for (const { body } of command.items) mergeAll(body);
  }
}

function mergeAll(...lists: readonly (readonly StatementNode[])[]): void {
  for (const list of lists) list.forEach(mergeStatement);
}

function stderrToStdout(): SimpleCommandNode["redirections"][number] {
  const target = { type: "Word" as const, parts: [{ type: "Literal" as const, value: "1" }] };
  return { type: "Redirection", fd: 2, operator: ">&", target };
}
