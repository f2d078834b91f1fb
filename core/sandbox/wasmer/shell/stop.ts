import type { CustomCommand } from "just-bash";
import type { Clock } from "../../../clock.ts";
import { InputError, SandboxError } from "../../../errors.ts";
import { loadShell } from "./load-shell.ts";

/** The shell works in the main thread: it lets others have a turn after so long. */
const TURN_MS = 10;

/** The message of what is thrown into the shell; the shell repeats it on stderr. */
export const STOPPED = "forkgym: stopped";

let limitError: Promise<new (message: string, limit: string) => Error> | undefined;

/**
 * What the shell gives up at, keeping what it wrote so far: only its own error of a limit does that, and the shell
 * shows that only to whom it refuses something.
 */
export async function stopError(): Promise<() => Error> {
  limitError ??= findLimitError();
  const LimitError = await limitError;
  return () => new LimitError(STOPPED, "commands");
}

async function findLimitError(): Promise<new (message: string, limit: string) => Error> {
  const { Bash, InMemoryFs } = await loadShell();
  let found: unknown;
  const probe: CustomCommand = {
    name: "probe",
    async execute(_, { executionScope }) {
      try {
        executionScope?.consumeWork(Number.MAX_SAFE_INTEGER);
      } catch (error) {
        found = error;
      }
      return { stdout: "", stderr: "", exitCode: 0 };
    },
  };
  await new Bash({ fs: new InMemoryFs(), customCommands: [probe], defenseInDepth: false }).exec("probe");
  if (!(found instanceof Error))
    throw new InputError("wasmer: this version of just-bash is not known here; use 3.4.2");
  return found.constructor as new (
    message: string,
    limit: string,
  ) => Error;
}

export type StopCause = "time-out" | "abort" | "close" | "kill";

/** Ends one command: by its time-out, by the caller's signal, or because the sandbox is closed. */
export class Stop {
  readonly #clock: Clock;
  readonly #endMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #controller = new AbortController();
  #cause: StopCause | undefined;
  #turnMs: number;
  /** Makes what is thrown into the shell, see `shell.ts`. */
  fault: () => Error = () => new Error("stopped");

  constructor(timeoutMs: number, clock: Clock) {
    this.#clock = clock;
    this.#turnMs = clock.now();
    this.#endMs = this.#turnMs + timeoutMs;
    // Beyond 2^31 - 1 a timer would fire at once.
    this.#timer = setTimeout(() => this.now("time-out"), Math.min(timeoutMs, 2 ** 31 - 1));
  }

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** Aborted when the command is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Until the time-out. */
  get leftMs(): number {
    return Math.max(0, this.#endMs - this.#clock.now());
  }

  now(cause: StopCause): void {
    this.#cause ??= cause;
    this.#controller.abort();
  }

  /** The number of the signal that the command sent to itself. */
  killedBy = 0;

  kill(signal: number): void {
    this.killedBy = signal;
    this.now("kill");
  }

  /** Frees the timer. */
  done(): void {
    clearTimeout(this.#timer);
  }

  /** A loop that never waits starves the timer, so the clock is looked at too. @throws what `fault` makes. */
  check(): void {
    if (this.#cause === undefined && this.#clock.now() >= this.#endMs) this.now("time-out");
    if (this.#cause !== undefined) throw this.fault();
  }

  async turn(): Promise<void> {
    this.check();
    if (this.#clock.now() - this.#turnMs < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnMs = this.#clock.now();
    this.check();
  }

  /** What `work` gives, unless it goes on for so long after it was to stop: then it is left behind. */
  async soon<T>(work: Promise<T>, graceMs: number): Promise<T> {
    work.catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const onStop = (): void => {
        timer = setTimeout(() => reject(new SandboxError("wasmer: a stopped command did not end")), graceMs);
      };
      this.signal.addEventListener("abort", onStop);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.signal.addEventListener("abort", wake);
      if (this.signal.aborted) wake();
    });
    this.check();
  }
}
