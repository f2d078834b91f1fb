import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isMainThread, threadId } from "node:worker_threads";
import { birthOf } from "../../process.ts";

/**
 * On everything that ForkGym makes in Docker. Its value says what was made: an image that somebody builds on one of
 * ours inherits the labels, and so does a container made of it, but then the value does not fit.
 */
const LABEL = "forkgym";
const OWNER = "forkgym.owner";
const RUN = "forkgym.run";

export type Kind = "container" | "volume" | "image";

/**
 * This process, so that `forkgym gc` can tell whether it still lives: host, pid and the time of its birth; then the
 * thread if it is not the main one.
 */
export function owner(): string {
  const process_ = `${host()} ${process.pid} ${birthOf(process.pid)}`;
  return isMainThread ? process_ : `${process_} ${threadId}`;
}

/** Where a pid means the same process: containers that share a host's name do not share its pids. */
function host(): string {
  try {
    return `${hostname()}/${readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")}`;
  } catch {
    return hostname();
  }
}

/** Whether the process that a label names may still live. One on another host is left alone, and what is no label of ours. */
export function mayLive(label: string | undefined): boolean {
  const [place, pid, birth] = (label ?? "").split(" ");
  if (pid === undefined || birth === undefined || !/^[1-9]\d*$/.test(pid)) return true;
  return place !== host() || birthOf(Number(pid)) === birth;
}

/** The host that a label of ours names, if it is another than this one. */
export function otherHost(label: string | undefined): string | undefined {
  const [place, pid, birth] = (label ?? "").split(" ");
  const isOurs = birth !== undefined && /^[1-9]\d*$/.test(pid!);
  return isOurs && place !== host() ? place : undefined;
}

export function labels(kind: Kind, run: string | undefined): Record<string, string> {
  return { [LABEL]: kind, [OWNER]: owner(), ...(run !== undefined && { [RUN]: run }) };
}

/** The labels as lines of a Dockerfile, for an image that is committed or imported. */
export function imageLabels(run: string | undefined): string[] {
  return Object.entries(labels("image", run)).map(([name, value]) => `LABEL ${name}=${quoted(value)}`);
}

/** A value as a Dockerfile takes it, nothing in it expanded; line breaks become spaces. */
export function quoted(value: string): string {
  return `"${value.replace(/[\\"$]/g, "\\$&").replace(/[\r\n]+/g, " ")}"`;
}
