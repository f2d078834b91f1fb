import { readFileSync } from "node:fs";

const PARTS = [
  "1-preamble",
  "2-contain",
  "3-layers",
  "4-command",
  "5-files",
  "6-executor",
  "7-groups",
  "8-router",
];

let text: string | undefined;

/** The command server as one Python program. Its parts lie beside this file. */
export function serverProgram(): string {
  text ??= PARTS.map((part) => readFileSync(new URL(`./server/${part}.py`, import.meta.url), "utf8")).join(
    "\n\n",
  );
  return text;
}
