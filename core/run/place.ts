import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * Where a process id means the same process: host name, boot id and pid namespace, as one word each; `unknown`
 * where the system does not say.
 */
export function placeOf(): readonly [host: string, boot: string, pidNamespace: string] {
  return [
    word(hostname),
    word(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    word(() => readlinkSync("/proc/self/ns/pid")),
  ];
}

function word(read: () => string): string {
  try {
    return read().trim().replaceAll(/\s+/g, "-") || "unknown";
  } catch {
    return "unknown";
  }
}
