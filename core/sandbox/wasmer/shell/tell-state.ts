import type { CommandNode, ScriptNode, StatementNode, TransformPlugin } from "just-bash";
import { loadShell } from "./load-shell.ts";

/** Tells the folder and the exported variables, and leaves `$?` as it was. */
const TELL = '/usr/bin/forkgym-state "$?"';

/**
 * Makes a script tell its shell state: at its end, at each `exit` outside of subshells, and, if it sets `-e`, before
 * each of its statements, since any may be its last.
 */
export async function tellState(script: string): Promise<TransformPlugin> {
  const { parse } = await loadShell();
  const tell = (): StatementNode => parse(TELL).statements[0]!;
  const isStrict = /\bset\s+-\w*e|errexit/.test(script);
  const visit = (statement: StatementNode): void => {
    for (const pipeline of statement.pipelines) {
      if (pipeline.commands.length === 1)
        pipeline.commands = pipeline.commands.map((command) => told(command));
    }
  };
  const told = (command: CommandNode): CommandNode => {
    if (command.type === "SimpleCommand") {
      const [part] = command.name?.parts ?? [];
      if (part?.type !== "Literal" || part.value !== "exit") return command;
      return { type: "Group", body: [tell(), statementOf(command)], redirections: [] };
    }
    if (command.type === "If") {
      for (const { body } of command.clauses) body.forEach(visit);
      command.elseBody?.forEach(visit);
    } else if (command.type === "Case") {
      for (const { body } of command.items) body.forEach(visit);
    } else if ("body" in command && Array.isArray(command.body) && command.type !== "Subshell") {
      command.body.forEach(visit);
    }
    return command;
  };
  return {
    name: "forkgym-tell",
    transform({ ast }: { ast: ScriptNode }): { ast: ScriptNode } {
      ast.statements.forEach(visit);
      const statements = isStrict
        ? ast.statements.flatMap((statement) => [tell(), statement])
        : ast.statements;
      return { ast: { ...ast, statements: [...statements, tell()] } };
    },
  } as unknown as TransformPlugin;
}

function statementOf(command: CommandNode): StatementNode {
  const pipeline = { type: "Pipeline" as const, commands: [command], negated: false };
  return { type: "Statement", pipelines: [pipeline], operators: [], background: false };
}
