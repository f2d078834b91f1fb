import { readFileSync } from "node:fs";

/**
 * When a process began, in the kernel's ticks, so that a pid that is used anew is told apart; `unknown` where the
 * system does not say, empty if there is no such process or nobody has asked for its exit code yet.
 */
export function birthOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "" : (fields[19] ?? "unknown");
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
