import type { RepairTools } from "../../../agents/repair/repair.ts";
import type { EndReason, Env, Settlement, Snapshot, Step } from "../../../core/env.ts";
import { EpisodeError } from "../../../core/errors.ts";
import type { Sandbox } from "../../../core/sandbox/sandbox.ts";
import { createWasmerSandbox } from "../../../core/sandbox/wasmer/index.ts";
import type { Task } from "../../../core/task.ts";

export interface Repository {
  readonly issue: string;
  /** From /testbed on. */
  readonly files: Readonly<Record<string, string>>;
  /** A program that exits with 0 if the bug is gone. */
  readonly hidden: string;
}

export type Move = { readonly script: string } | { readonly submit: true };
export type Sight = { readonly text: string; readonly exitCode: number | null; readonly turnsLeft: number };

export const workshopTools: RepairTools<Repository, Sight, Move> = {
  issueOf: ({ data }) => data.issue,
  bash: (script) => ({ script }),
  submit: () => ({ submit: true }),
  read: (sight) => sight,
};

/** A repository, a shell, and a hidden check: the least that a repair needs. */
export class Workshop implements Env<Repository, Sight, Move> {
  readonly #turns: number;
  #sandbox: Sandbox | undefined;
  #turn = 0;
  #task: Task<Repository> | undefined;
  /** Milliseconds of each command. */
  readonly ms: number[] = [];

  constructor(turns: number) {
    this.#turns = turns;
  }

  async reset({ task }: { readonly task: Task<Repository> }): Promise<Sight> {
    await this.#sandbox?.close();
    const files = Object.fromEntries(
      Object.entries(task.data.files).map(([path, text]) => [`/testbed/${path}`, text]),
    );
    this.#sandbox = await createWasmerSandbox({ files, cwd: "/testbed" });
    this.#task = task;
    this.#turn = 0;
    return { text: "", exitCode: null, turnsLeft: this.#turns };
  }

  async step(move: Move): Promise<Step<Sight>> {
    const sandbox = this.#open();
    this.#turn++;
    const turnsLeft = this.#turns - this.#turn;
    if ("submit" in move) {
      const { reward, info } = await this.settle();
      const end: EndReason = reward === 1 ? "success" : "failure";
      return { observation: { text: String(info?.text), exitCode: null, turnsLeft }, reward, end };
    }
    const { stdout, exitCode, ms } = await sandbox.exec(move.script, { merge: true, timeoutMs: 180_000 });
    this.ms.push(ms);
    return { observation: { text: stdout.text, exitCode, turnsLeft }, reward: 0 };
  }

  async snapshot(): Promise<Snapshot> {
    const sandbox = await this.#open().snapshot();
    return { sandbox, turn: this.#turn, task: this.#task as never };
  }

  async fork(snapshot: Snapshot): Promise<Workshop> {
    const child = new Workshop(this.#turns);
    child.#sandbox = await this.#open().fork(snapshot.sandbox as Snapshot);
    child.#turn = snapshot.turn as number;
    child.#task = snapshot.task as never;
    return child;
  }

  async release(snapshot: Snapshot): Promise<void> {
    await this.#open().release(snapshot.sandbox as Snapshot);
  }

  async settle(): Promise<Settlement> {
    const command = ["python3", "-B", "-c", this.#task!.data.hidden];
    const { exitCode, timedOut, stdout } = await this.#open().exec(command, {
      merge: true,
      timeoutMs: 180_000,
    });
    // A verdict is Python's own exit code; anything else is the machine's doing.
    if (timedOut || exitCode > 1) throw new Error(`hidden tests ended with ${exitCode}: ${stdout.text}`);
    return { reward: exitCode === 0 ? 1 : 0, info: { text: stdout.text } };
  }

  /** A file's content as it stands. */
  async read(path: string): Promise<string> {
    return new TextDecoder().decode(await this.#open().readFile(path));
  }

  async close(): Promise<void> {
    await this.#sandbox?.close();
    this.#sandbox = undefined;
  }

  #open(): Sandbox {
    if (this.#sandbox === undefined) throw new EpisodeError("workshop: not open");
    return this.#sandbox;
  }
}
