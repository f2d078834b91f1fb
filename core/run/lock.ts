import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { InputError } from "../errors.ts";
import { birthOf } from "../process.ts";

let taken = 0;

/**
 * Takes the lock file for this process. A lock whose process is gone is taken over.
 * @returns what gives it back.
 * @throws {InputError} if a living process holds it.
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const own = `${path}.${process.pid}.${taken++}`;
  await writeFile(own, `${process.pid} ${birthOf(process.pid)}\n`);
  try {
    // A link comes into being with its text, so that nobody finds a lock that names no process yet.
    while (!(await made(link(own, path)))) await removeStale(path, own);
  } finally {
    await rm(own, { force: true });
  }
  return () => rm(path, { force: true });
}

async function removeStale(path: string, own: string): Promise<void> {
  const holder = await readFile(path, "utf8").catch(() => "");
  const [pid = "", born = ""] = holder.trim().split(" ");
  if (born !== "" && birthOf(Number(pid)) === born) {
    throw new InputError(
      `run folder: ${path} is held by process ${pid}, which is still running; wait for it, or choose another folder`,
    );
  }
  const aside = `${own}.stale`;
  await rename(path, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  // Somebody else may have taken it over since it was read: then that lock goes back.
  if ((await readFile(aside, "utf8").catch(() => holder)) !== holder) await made(link(aside, path));
  await rm(aside, { force: true });
}

/** False if there is such a file already. */
async function made(linking: Promise<void>): Promise<boolean> {
  return linking.then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
}
