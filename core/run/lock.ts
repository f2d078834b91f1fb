import { link, readFile, rm, writeFile } from "node:fs/promises";
import { InputError } from "../errors.ts";
import { sha256 } from "../json.ts";
import { birthOf } from "../process.ts";
import { placeOf } from "./place.ts";

let locks = 0;

/** The lock was taken where its process cannot be seen from here, so nobody here can say whether it is gone. */
export class ForeignLock extends InputError {}

/**
 * Takes the lock file for this process: its pid, when it began, and the host, boot and pid namespace in which the
 * pid counts. A lock whose process is gone is taken over.
 * @returns what gives it back.
 * @throws {InputError} if a living process holds it.
 * @throws {ForeignLock} if it was taken on another host, before a reboot or in another container: it has to be
 * removed by hand.
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const text = `${[process.pid, birthOf(process.pid), ...placeOf()].join(" ")}\n`;
  // Two containers may have the same pid and share the folder: what tells their texts apart is in the name.
  const own = `${path}.${process.pid}.${sha256(text).slice(0, 8)}.${locks++}`;
  await writeFile(own, text);
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
    const [pid = "", born = "", ...place] = holder.trim().split(" ");
    refuseForeign(path, pid, place);
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

/** A lock of before places were written down, or one that was never one, counts as from here. */
function refuseForeign(path: string, pid: string, place: readonly string[]): void {
  if (place.length === 0) return;
  const here = placeOf();
  const at = here.findIndex((mine, index) => mine !== place[index]);
  if (at < 0) return;
  const where = ["another host", "before a reboot of the host", "in another container"][at];
  throw new ForeignLock(
    `run folder: ${path} was taken by process ${pid} on host ${place[0]} (${where}), which cannot be seen from ` +
      `here (host ${here[0]}); wait for it, or, if it is gone, remove the lock: rm ${path}`,
  );
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
