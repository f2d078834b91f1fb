import { readFileSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { InputError } from "../errors.ts";

/**
 * Takes the lock file for this process. A lock whose process is gone is taken over.
 * @returns what gives it back.
 * @throws {InputError} if a living process holds it.
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const own = `${process.pid} ${birth(process.pid)}\n`;
  for (;;) {
    try {
      const file = await open(path, "wx");
      await file.writeFile(own);
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await readFile(path, "utf8").catch(() => "");
    const [pid = "", born = ""] = holder.trim().split(" ");
    if (pid !== "" && birth(Number(pid)) === born) {
      throw new InputError(
        `run folder: ${path} is held by process ${pid}, which is still running; wait for it, or choose another folder`,
      );
    }
    await rm(path, { force: true });
  }
}

/** When a process began, in the kernel's ticks, so that a pid used anew is told apart; empty if it is gone. */
function birth(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "unknown";
  } catch {
    return alive(pid) ? "unknown" : "";
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
