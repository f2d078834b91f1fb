import type { SweFamily } from "../instance.ts";

/**
 * A log as the official graders read it: UTF-8 with U+FFFD for what is none, "\r\n" and "\r" as "\n".
 * R2E-Gym's grader takes "\r" out instead, and does so itself.
 */
export function readLog(bytes: Uint8Array, family: SweFamily = "swe-bench"): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return family === "r2e-gym" ? text : text.replace(/\r\n?/g, "\n");
}
