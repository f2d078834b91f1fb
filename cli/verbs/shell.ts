import { createInterface, type Interface } from "node:readline";
import type { Command } from "commander";
import type { Snapshot } from "../../core/env.ts";
import { ForkGymError, InputError, messageOf } from "../../core/errors.ts";
import { createDockerSandbox } from "../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../core/sandbox/sandbox.ts";
import { outputOf, whole } from "../command.ts";

const HELP = `A line is a command; its folder and exported variables last. Lines with a colon:
  :snapshot [name]         save the branch as it is
  :fork [name] [snapshot]  fork the branch as it is, or a snapshot, and go there
  :switch [branch]         go to another branch, or back to main
  :branches                show the branches and snapshots
  :help                    show this
  :exit                    close everything (so does the end of the input)
Ctrl-C kills the command that runs.`;

interface Options {
  readonly engine: "auto" | "overlay" | "commit";
  readonly network?: boolean;
  readonly timeout: number;
}

export function shellVerb(program: Command): void {
  program
    .command("shell")
    .description("a shell in a sandbox whose branches can be forked, for trying things out")
    .argument("<image>", "Docker image with python3, or `wasmer`")
    .option("--engine <name>", "how Docker forks: overlay, commit or auto", "auto")
    .option("--network", "let commands reach the network")
    .option("--timeout <seconds>", "kill a command after so long", whole(1), 86_400)
    .action(async (image: string, options: Options, command: Command) => {
      const note = outputOf(command).note;
      const shell = new Shell(await open(image, options, note), options.timeout * 1000);
      await shell.run();
    });
}

async function open(image: string, options: Options, onNote: (text: string) => void): Promise<Sandbox> {
  const { engine, network = false } = options;
  if (image === "wasmer") return openWasmer();
  return createDockerSandbox({ image, engine, network, onNote });
}

/** Loaded only when asked for: it needs packages that an installation of ForkGym does not bring. */
async function openWasmer(): Promise<Sandbox> {
  const { createWasmerSandbox } = await import("../../core/sandbox/wasmer/index.ts");
  return createWasmerSandbox();
}

/** A branch or a snapshot, for `:branches`. */
interface Place {
  readonly name: string;
  /** What it was forked from, or saved from. */
  readonly parent?: string;
}

interface Branch extends Place {
  readonly box: Sandbox;
}

interface Saved extends Place {
  readonly snapshot: Snapshot;
}

/** Reads lines and does what they say, one after the other. */
class Shell {
  readonly #branches = new Map<string, Branch>();
  readonly #saved = new Map<string, Saved>();
  readonly #timeoutMs: number;
  readonly #terminal: boolean = process.stdin.isTTY && process.stdout.isTTY;
  #here: Branch;
  #running: AbortController | undefined;

  constructor(box: Sandbox, timeoutMs: number) {
    this.#here = { name: "main", box };
    this.#branches.set("main", this.#here);
    this.#timeoutMs = timeoutMs;
  }

  /** Until `:exit`, the end of the input, or an interrupt of a script between commands; then everything is closed. */
  async run(): Promise<void> {
    const { stdin: input, stdout } = process;
    const lines = createInterface({
      input,
      terminal: this.#terminal,
      ...(this.#terminal && { output: stdout }),
    });
    const interrupt = () => this.#interrupt(lines);
    lines.on("SIGINT", interrupt);
    process.on("SIGINT", interrupt);
    try {
      this.#prompt(lines);
      for await (const line of lines) {
        if (line.trim() === ":exit") return;
        await this.#obey(line.trim());
        this.#prompt(lines);
      }
      if (this.#terminal) process.stdout.write("\n");
    } finally {
      lines.close();
      await this.#close();
      process.off("SIGINT", interrupt);
    }
  }

  #prompt(lines: Interface): void {
    if (!this.#terminal) return;
    lines.setPrompt(`${this.#here.name}:${this.#here.box.shell.cwd}$ `);
    lines.prompt();
  }

  #interrupt(lines: Interface): void {
    if (this.#running !== undefined) this.#running.abort();
    else if (!this.#terminal) {
      process.exitCode = 130;
      lines.close();
    } else {
      process.stdout.write("\n");
      lines.write(null, { ctrl: true, name: "u" }); // Empties the line that was begun.
      this.#prompt(lines);
    }
  }

  async #obey(line: string): Promise<void> {
    try {
      if (line.startsWith(":")) await this.#command(line.split(/\s+/));
      else if (line !== "") await this.#exec(line);
    } catch (error) {
      if (!(error instanceof ForkGymError)) throw error;
      process.stderr.write(`${error.message}\n`);
    }
  }

  async #exec(script: string): Promise<void> {
    this.#running = new AbortController();
    const { signal } = this.#running;
    try {
      const timeoutMs = this.#timeoutMs;
      const result = await this.#here.box.exec(script, { keepShell: true, merge: true, timeoutMs, signal });
      const { text } = result.stdout;
      process.stdout.write(this.#terminal && text !== "" && !text.endsWith("\n") ? `${text}\n` : text);
      if (result.timedOut) process.stderr.write(`killed after ${timeoutMs / 1000} s\n`);
      else if (result.exitCode !== 0) process.stderr.write(`exit code ${result.exitCode}\n`);
    } catch (error) {
      if (!signal.aborted) throw error;
      process.stderr.write("interrupted\n");
    } finally {
      this.#running = undefined;
    }
  }

  async #command([verb, first, second]: readonly string[]): Promise<void> {
    if (verb === ":snapshot") await this.#snapshot(this.#newName("s", first));
    else if (verb === ":fork") await this.#fork(this.#newName("b", first), second);
    else if (verb === ":switch") this.#switch(first);
    else if (verb === ":branches") for (const line of this.#tree(undefined, 0)) say(line);
    else if (verb === ":help") say(HELP);
    else throw new InputError(`no command ${verb}; try :help`);
  }

  #newName(letter: string, given: string | undefined): string {
    const taken = (name: string) => this.#branches.has(name) || this.#saved.has(name);
    if (given !== undefined && taken(given)) throw new InputError(`there is a ${given} already`);
    let number = 1;
    while (taken(`${letter}${number}`)) number++;
    return given ?? `${letter}${number}`;
  }

  async #snapshot(name: string): Promise<void> {
    const snapshot = await this.#here.box.snapshot();
    this.#saved.set(name, { name, parent: this.#here.name, snapshot });
    say(`snapshot ${name} of ${this.#here.name}`);
  }

  async #fork(name: string, from: string | undefined): Promise<void> {
    const { box, name: own } = this.#here;
    const saved = from === undefined ? undefined : this.#saved.get(from);
    if (from !== undefined && saved === undefined) throw new InputError(`no snapshot ${from}; try :branches`);
    const snapshot = saved?.snapshot ?? (await box.snapshot());
    try {
      this.#here = { name, parent: saved?.name ?? own, box: await box.fork(snapshot) };
      this.#branches.set(name, this.#here);
    } finally {
      if (saved === undefined) await box.release(snapshot);
    }
    say(`branch ${name} of ${this.#here.parent}`);
  }

  #switch(name: string | undefined): void {
    const branch = this.#branches.get(name ?? "main");
    if (branch === undefined) throw new InputError(`no branch ${name}; try :branches`);
    this.#here = branch;
  }

  #tree(parent: string | undefined, depth: number): string[] {
    const places: (Place & { readonly box?: Sandbox })[] = [
      ...this.#saved.values(),
      ...this.#branches.values(),
    ];
    return places
      .filter((place) => place.parent === parent)
      .flatMap(({ name, box }) => {
        const mark = name === this.#here.name ? "*" : " ";
        const line = `${mark} ${"  ".repeat(depth)}${name}  ${box === undefined ? "(snapshot)" : box.shell.cwd}`;
        return [line, ...this.#tree(name, depth + 1)];
      });
  }

  async #close(): Promise<void> {
    const { box } = this.#here;
    const releases = [...this.#saved.values()].map(({ snapshot }) => box.release(snapshot));
    const released = await Promise.allSettled(releases);
    const closed = await Promise.allSettled([...this.#branches.values()].map((branch) => branch.box.close()));
    for (const each of [...released, ...closed]) {
      if (each.status === "rejected") process.stderr.write(`${messageOf(each.reason)}\n`);
    }
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
