import type { Snapshot } from "../env.ts";
import type { Command, Sandbox } from "../sandbox/sandbox.ts";
import type { Tracer } from "./tracer.ts";

/** Whatever opens sandboxes, and forks them. */
export interface SandboxSource {
  open(...args: never[]): Promise<Sandbox>;
  fork(snapshot: Snapshot): Promise<Sandbox>;
}

/** The same source of sandboxes; each command that is run in one of them is a span. */
export function tracedSandboxes<Source extends SandboxSource>(source: Source, tracer: Tracer): Source {
  return {
    ...source,
    open: async (...args: Parameters<Source["open"]>) =>
      new TracedSandbox(await source.open(...(args as never[])), tracer),
    fork: async (snapshot: Snapshot) => new TracedSandbox(await source.fork(snapshot), tracer),
  };
}

class TracedSandbox implements Sandbox {
  readonly #inner: Sandbox;
  readonly #tracer: Tracer;

  constructor(inner: Sandbox, tracer: Tracer) {
    this.#inner = inner;
    this.#tracer = tracer;
  }

  get flags(): Sandbox["flags"] {
    return this.#inner.flags;
  }

  get shell(): Sandbox["shell"] {
    return this.#inner.shell;
  }

  exec: Sandbox["exec"] = (command, options) =>
    this.#tracer.span("forkgym.command", { "forkgym.command": shortened(command) }, async (span) => {
      const result = await this.#inner.exec(command, options);
      span.set({ "process.exit.code": result.exitCode, "forkgym.command.timed_out": result.timedOut });
      return result;
    });

  readFile: Sandbox["readFile"] = (path) => this.#inner.readFile(path);
  writeFile: Sandbox["writeFile"] = (path, content) => this.#inner.writeFile(path, content);
  putArchive: Sandbox["putArchive"] = (path, tar) => this.#inner.putArchive(path, tar);
  snapshot: Sandbox["snapshot"] = () => this.#inner.snapshot();
  fork: Sandbox["fork"] = async (snapshot) =>
    new TracedSandbox(await this.#inner.fork(snapshot), this.#tracer);
  release: Sandbox["release"] = (snapshot) => this.#inner.release(snapshot);
  close: Sandbox["close"] = () => this.#inner.close();
}

const LONGEST = 100;

function shortened(command: Command): string {
  const text = typeof command === "string" ? command : command.join(" ");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
