import type { Fault } from "../tree/fault.ts";
import type { FileTree } from "../tree/file-tree.ts";
import { joined } from "../tree/path.ts";

/** What a command is given. */
export interface GnuWorld {
  readonly tree: FileTree;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  /** What is behind names such as `/dev/fd/63`, of `<(command)`. */
  readonly piped: ReadonlyMap<string, Uint8Array>;
  /** Lets others have a turn; to be called now and then. */
  readonly turn: () => Promise<void>;
  /** Runs work that a regular expression may hold up. @throws {GnuError} if it takes too long */
  readonly guarded: <T>(work: () => T) => T;
}

export interface GnuEnd {
  readonly stdout: Uint8Array | string;
  readonly stderr?: string;
  readonly exitCode?: number;
}

/** A command over the sandbox's own files, in the manner of GNU's. What it does not know it refuses. */
export type GnuCommand = (args: readonly string[], world: GnuWorld) => GnuEnd | Promise<GnuEnd>;

/** Ends a command: its message, without the command's name, and its exit code. */
export class GnuError extends Error {
  override readonly name = "GnuError";
  readonly exitCode: number | undefined;

  /** @param exitCode @default the command's usual one for trouble */
  constructor(message: string, exitCode?: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A fault in the words of the C library. */
export function reasonOf({ code }: Fault): string {
  return {
    ENOENT: "No such file or directory",
    EEXIST: "File exists",
    ENOTDIR: "Not a directory",
    EISDIR: "Is a directory",
    ENOTEMPTY: "Directory not empty",
    ELOOP: "Too many levels of symbolic links",
    EINVAL: "Invalid argument",
    EFBIG: "File too large",
  }[code];
}

/** A path as the tree takes it: a slash at its end, which asks for a folder, stays. */
export function at({ cwd }: GnuWorld, path: string): string {
  const absolute = joined(cwd, path);
  return path.endsWith("/") && absolute !== "/" ? `${absolute}/` : absolute;
}
