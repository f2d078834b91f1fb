import type { Engine } from "../engine/engine.ts";
import { runProgram } from "../engine/run-program.ts";
import type { ProgramSource } from "../engine/thread.ts";
import type { OnOutput } from "../engine/wasmer-thread.ts";
import type { FileTree } from "../tree/file-tree.ts";

export interface ProgramCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  /** Whether its two streams go to the same place, and should come in the order written. @default false */
  readonly merge?: boolean;
}

export interface Program {
  readonly load: () => Promise<ProgramSource>;
  /** The arguments that it is given instead. @default as they are */
  readonly args?: (args: readonly string[], cwd: string) => string[];
}

/** What runs under Wasmer, by the name that the shell knows it by. */
export class Programs {
  readonly #engine: Engine;
  readonly #table: ReadonlyMap<string, Program>;

  constructor(engine: Engine, table: ReadonlyMap<string, Program>) {
    this.#engine = engine;
    this.#table = table;
  }

  get names(): string[] {
    return [...this.#table.keys()];
  }

  /** The name of the program that an argv's first word stands for, if it is one of these. */
  find(word: string): string | undefined {
    const name = word.replace(/^(\/usr)?\/bin\//, "");
    return this.#table.has(name) ? name : undefined;
  }

  async run(tree: FileTree, call: ProgramCall, onOutput: OnOutput, signal: AbortSignal): Promise<number> {
    const { load, args } = this.#table.get(call.name)!;
    const given = args?.(call.args, call.cwd) ?? call.args;
    return runProgram(this.#engine, tree, { ...call, args: given, source: await load() }, onOutput, signal);
  }
}
