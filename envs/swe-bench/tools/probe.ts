import { posix } from "node:path";
import type { ToolContext } from "../types.ts";
import { asWritten } from "./clip.ts";
import { AgentMistake } from "./tool.ts";

/** Of what a command of a tool's own says. */
const PROBE_BYTES = 8 * 1024 * 1024;

/** What an image sets must not lead a tool's own commands astray. */
const PROBE_ENV = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C",
  BASH_ENV: "",
  ENV: "",
};

/**
 * Runs a tool's own POSIX script with `args` as $1, $2, ... Works from /, since the agent may have removed the
 * folder that it was in. @throws {AgentMistake} if it took too long.
 */
export async function probe(
  { sandbox, timeoutMs, signal }: ToolContext,
  script: string,
  ...args: readonly string[]
): Promise<string> {
  const { timedOut, stdout } = await sandbox.exec(["/bin/sh", "-c", script, "sh", ...args], {
    cwd: "/",
    env: PROBE_ENV,
    timeoutMs,
    outputBytes: PROBE_BYTES,
    merge: true,
    ...(signal ? { signal } : {}),
  });
  if (timedOut) throw new AgentMistake(`It took longer than ${timeoutMs / 1000} s and was stopped.`);
  return stdout.text;
}

/** Bytes that Linux takes in a path. */
const PATH_BYTES = 4095;

/** The absolute path that the agent means; a relative one starts at the folder that it is in. @throws {AgentMistake} */
export function absolute({ sandbox }: ToolContext, path: string): string {
  if (path === "") throw new AgentMistake("Parameter `path` is empty.");
  const whole = asWritten(posix.resolve(sandbox.shell.cwd, path));
  if (whole.includes("\0") || Buffer.byteLength(whole) > PATH_BYTES)
    throw new AgentMistake("Parameter `path` is no path: it is too long or holds a NUL.");
  return whole;
}

/** The shell of the Wasmer backend has no `stat -L`, and reads the whole file for `wc`. */
const KIND = `if [ -d "$1" ]; then echo folder; elif [ -f "$1" ]; then echo file
stat -Lc %s -- "$1" 2>/dev/null || stat -c %s -- "$1" 2>/dev/null || wc -c < "$1"
elif [ -e "$1" ] || [ -L "$1" ]; then echo other; else echo missing; fi`;

export type PathKind =
  | { readonly kind: "folder" | "other" | "missing" }
  | { readonly kind: "file"; readonly bytes: number };

/** What is at an absolute path. @throws {AgentMistake} */
export async function kindOf(context: ToolContext, path: string): Promise<PathKind> {
  const said = (await probe(context, KIND, path)).trim();
  const size = /^file\s+(\d+)$/.exec(said)?.[1];
  if (size !== undefined) return { kind: "file", bytes: Number(size) };
  if (said === "folder" || said === "missing" || said === "other") return { kind: said };
  throw new AgentMistake(`Cannot look at ${path}: ${said}`);
}
