import type { Snapshot } from "../env.ts";

/** An argv, run as it is; or a text, run by a shell (`bash` where there is one, else `sh`). */
export type Command = readonly string[] | string;

export interface ExecOptions {
  /** Absolute, or relative to the shell state's. @default the shell state's */
  readonly cwd?: string;
  /** On top of the shell state's variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Given to the command, which then sees the end of its input. @default nothing, the input is at its end */
  readonly stdin?: string | Uint8Array;
  /** After so long the command and everything that it started are killed. @default 60_000 */
  readonly timeoutMs?: number;
  /** Bytes kept of each stream, half from the head and half from the tail. @default 1 MiB */
  readonly outputBytes?: number;
  /** Whether stdout and stderr come as one stream, in the order written, in `stdout`. @default false */
  readonly merge?: boolean;
  /**
   * Whether the directory and the exported variables at the end of a script become the sandbox's shell state.
   * Scripts only. @default false
   */
  readonly keepShell?: boolean;
  /** Kills the command; `exec` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What a command wrote, cut in the middle if it was more than asked for. */
export interface Captured {
  readonly bytes: Uint8Array;
  /** Bytes left out between the head and the tail. */
  readonly omittedBytes: number;
  /** `bytes` as UTF-8, decoded once, bad bytes replaced, with a line in the middle that says what was left out. */
  readonly text: string;
}

/** How a command went. A non-zero exit and a time-out are results, not errors. */
export interface ExecResult {
  /** 128 + n if signal n killed it (137 at a time-out), 127 if the program does not exist, 126 if it cannot be run. */
  readonly exitCode: number;
  /** Whether it was killed at `timeoutMs`; the output up to then is kept. */
  readonly timedOut: boolean;
  readonly stdout: Captured;
  /** Empty if the streams were merged. */
  readonly stderr: Captured;
  /** By the sandbox's own clock. */
  readonly ms: number;
}

/**
 * What an agent expects of a shell to last from one command to the next: part of every snapshot. `env` holds what
 * differs from the sandbox's own variables, and `unset` names those of them that are gone, if any are.
 */
export type ShellState = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
};

/** What a backend can and cannot do, as data. */
export interface SandboxFlags {
  /** For people and records, for example `docker/overlay`. */
  readonly backend: string;
  /** Whether background processes outlive the command that started them, until the sandbox is closed. */
  readonly backgroundProcesses: boolean;
  /** Whether any program of an image can run; else what the backend brings. */
  readonly anyProgram: boolean;
}

/**
 * A place where commands run and files change, and which can be forked. Files and the shell state cross a fork;
 * processes and sockets do not.
 *
 * The same rules as for an Env: `fork` and `release` touch a snapshot, never this sandbox, and work on any open
 * sandbox of the same backend. The laws are in `forkgym/testing` (`testSandbox`).
 */
export interface Sandbox {
  readonly flags: SandboxFlags;
  readonly shell: ShellState;

  /**
   * Runs a command. Several may run at once.
   * @throws {InputError} on a command or option that makes no sense.
   * @throws {FileError} if `cwd` is no folder.
   * @throws {SandboxError} if the sandbox itself is broken, at once and from then on; a fresh one may work.
   */
  exec(command: Command, options?: ExecOptions): Promise<ExecResult>;

  /** Paths are absolute or relative to the shell state's folder. @throws {FileError} if it is no regular file. @throws {SandboxError} */
  readFile(path: string): Promise<Uint8Array>;

  /** Makes missing folders, keeps the mode of a file that is there. @throws {FileError} @throws {SandboxError} */
  writeFile(path: string, content: string | Uint8Array): Promise<void>;

  /** Unpacks a tar archive below `path`, which is made if it is missing; nothing lands outside of it. @throws {FileError} @throws {SandboxError} */
  putArchive(path: string, tar: Uint8Array): Promise<void>;

  /**
   * Saves files and shell state, once the commands that run are done. Of an unchanged sandbox it is the same snapshot
   * again; one that was taken n times is freed by its n-th release.
   * @throws {SandboxError}
   */
  snapshot(): Promise<Snapshot>;

  /** A new sandbox with the snapshot's files and shell state. The caller closes it. @throws {SnapshotError} @throws {SandboxError} */
  fork(snapshot: Snapshot): Promise<Sandbox>;

  /** Gives a snapshot back; forks made of it live on; releasing what was released is fine. */
  release(snapshot: Snapshot): Promise<void>;

  /** Kills what runs and frees everything but snapshots. Closing twice is fine. */
  close(): Promise<void>;
}
