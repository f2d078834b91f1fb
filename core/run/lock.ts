import { link, readFile, rm, writeFile } from "node:fs/promises";
import { InputError } from "../errors.ts";
import { sha256 } from "../json.ts";
import { birthOf } from "../process.ts";

let locks = 0;

/**
 * Takes the lock file for this process. A lock whose process is gone is taken over.
 * @returns what gives it back.
 * @throws {InputError} if a living process holds it.
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const own = `${path}.${process.pid}.${locks++}`;
  await writeFile(own, `${process.pid} ${birthOf(process.pid)}\n`);
  try {
    await acquire(path, own, path);
  } finally {
    await rm(own, { force: true });
  }
  return () => rm(path, { force: true });
}

/** Links `own` to `path`: a link comes into being with its text, so that no lock is ever found empty. */
async function acquire(path: string, own: string, shown: string): Promise<void> {
  while (!(await made(link(own, path)))) {
    const holder = await textOf(path);
    if (holder === undefined) continue;
    const [pid = "", born = ""] = holder.trim().split(" ");
    if (born !== "" && birthOf(Number(pid)) === born) {
      throw new InputError(
        `run folder: ${shown} is held by process ${pid}, which is still running; wait for it, or choose another folder`,
      );
    }
    // Two may find the same dead holder: the later one must not remove the lock of the earlier one. So the
    // right to remove it is a lock too, named after that holder.
    const right = `${path}.${sha256(holder).slice(0, 8)}`;
    await acquire(right, own, shown);
    try {
      if ((await textOf(path)) === holder) await rm(path, { force: true });
    } finally {
      await rm(right, { force: true });
    }
  }
}

/** False if there is such a file already. */
function made(linking: Promise<void>): Promise<boolean> {
  return linking.then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
}

/** Undefined if there is no such file. */
function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
