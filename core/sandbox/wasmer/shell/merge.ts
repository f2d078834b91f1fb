import type { CommandNode, ScriptNode, SimpleCommandNode, StatementNode } from "just-bash";
import { substitutionsIn } from "./nodes.ts";
import { isSame, markSame, textOf, toErr, toLate, toOut } from "./redirections.ts";

/**
 * Sends what each command writes to the sink, which keeps the order. The shell collects the two streams of a script
 * apart, so `2>&1` on the whole of it would lose the order. Left alone is what a function writes, and what does not
 * go to the script's own stdout; of a pipeline's first commands and of a substitution the stderr is sent.
 *
 * @param marked those of which the command itself keeps the order, given the mark
 */
export function mergeStreams(script: ScriptNode, marked: (command: SimpleCommandNode) => boolean): void {
  new Merge(marked).all(script.statements);
}

class Merge {
  readonly #marked: (command: SimpleCommandNode) => boolean;
  /** After `exec >file` the streams are the script's own affair. */
  #isOver = false;

  constructor(marked: (command: SimpleCommandNode) => boolean) {
    this.#marked = marked;
  }

  all(...lists: readonly (readonly StatementNode[])[]): void {
    for (const statement of lists.flat()) {
      for (const pipeline of statement.pipelines) {
        const last = pipeline.commands.length - 1;
        pipeline.commands = pipeline.commands.map((command, at) => {
          if (this.#isOver) return command;
          if (at === last) return this.#command(command);
          return pipeline.pipeStderr?.[at] ? command : this.#errorsOf(command);
        });
      }
    }
  }

  #command(command: CommandNode): CommandNode {
    if (command.type === "FunctionDef") return command;
    if (command.type === "SimpleCommand") return this.#simple(command);
    if (command.redirections.length > 0) {
      command.redirections.unshift(toOut(), toErr());
      return command;
    }
    switch (command.type) {
      case "If":
        for (const { condition, body } of command.clauses) this.all(condition, body);
        this.all(command.elseBody ?? []);
        break;
      case "While":
      case "Until":
        this.all(command.condition, command.body);
        break;
      case "Case":
        for (const { body } of command.items) this.all(body);
        break;
      case "ArithmeticCommand":
      case "ConditionalCommand":
        command.redirections.push(toLate());
        break;
      default:
        this.all(command.body);
    }
    return command;
  }

  #simple(command: SimpleCommandNode): CommandNode {
    const { name, args, redirections } = command;
    this.#substitutions(command);
    if (!name) return grouped(command);
    if (textOf(name) === "exec" && args.length === 0) {
      if (redirections.length > 0) this.#isOver = true;
      return command;
    }
    if (this.#marked(command) && isSame(redirections, true)) redirections.push(markSame());
    redirections.unshift(toOut(), toErr());
    return command;
  }

  /** Sends the stderr alone: the stdout goes elsewhere. */
  #errorsOf(command: CommandNode): CommandNode {
    if (command.type === "FunctionDef") return command;
    if (command.type === "SimpleCommand" && !command.name) return grouped(command);
    if (command.type === "SimpleCommand") this.#substitutions(command);
    command.redirections.unshift(toErr());
    return command;
  }

  #substitutions({ assignments, args, name }: SimpleCommandNode): void {
    for (const { statements } of substitutionsIn([assignments, args, name])) {
      for (const { pipelines } of statements) {
        for (const pipeline of pipelines) {
          pipeline.commands = pipeline.commands.map((command) => this.#errorsOf(command));
        }
      }
    }
  }
}

/** The shell forgets the exit code of a substitution if the assignment has a redirection, so a group has it. */
function grouped(command: SimpleCommandNode): CommandNode {
  const pipelines = [{ type: "Pipeline" as const, commands: [command], negated: false }];
  const statement = { type: "Statement" as const, pipelines, operators: [], background: false };
  return { type: "Group", body: [statement], redirections: [toLate()] };
}
