import { hostname } from "node:os";
import { birthOf } from "../../process.ts";

/** On everything that ForkGym makes in Docker. */
export const LABEL = "forkgym";
export const OWNER = "forkgym.owner";
export const RUN = "forkgym.run";

/** This process, so that `forkgym gc` can tell whether it still lives: host, pid and the time of its birth. */
export function owner(): string {
  return `${hostname()} ${process.pid} ${birthOf(process.pid)}`;
}

/** Whether the process that a label names may still live. One on another host is left alone. */
export function mayLive(label: string | undefined): boolean {
  const [host, pid, birth] = (label ?? "").split(" ");
  if (pid === undefined || birth === undefined) return false;
  return host !== hostname() || birthOf(Number(pid)) === birth;
}

export function labels(run: string | undefined): Record<string, string> {
  return { [LABEL]: "1", [OWNER]: owner(), ...(run !== undefined && { [RUN]: run }) };
}
