import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { InputError } from "../../../core/errors.ts";

/** One name below a folder. */
export interface Found {
  /** Relative, in bytes: git keeps names that are no UTF-8. */
  readonly name: Buffer;
  readonly path: Buffer;
  readonly stats: Stats;
}

export interface WalkOptions {
  /** Whether to go into the top folder's `.git`. */
  readonly git: boolean;
}

const SLASH = Buffer.from("/");

/**
 * Files, folders and links below a folder, folders before what is in them, names in the order of their bytes. Links are
 * not followed.
 * @throws {InputError} if there is something else: a socket, a device.
 */
export async function* walk(folder: string, { git }: WalkOptions): AsyncGenerator<Found> {
  yield* below(Buffer.from(folder), Buffer.alloc(0), git);
}

async function* below(folder: Buffer, start: Buffer, git: boolean): AsyncGenerator<Found> {
  const names = await readdir(folder, { encoding: "buffer" });
  for (const own of names.sort(Buffer.compare)) {
    if (!git && start.length === 0 && own.toString() === ".git") continue;
    const name = Buffer.concat([start, own]);
    const path = Buffer.concat([folder, SLASH, own]);
    const stats = await lstat(path);
    if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink()) {
      throw new InputError(`prepare: ${path} is no file, folder or link; remove it`);
    }
    yield { name, path, stats };
    if (stats.isDirectory()) yield* below(path, Buffer.concat([name, SLASH]), git);
  }
}
