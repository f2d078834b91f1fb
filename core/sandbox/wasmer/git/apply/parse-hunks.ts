import { BadPatch, type BinaryData, type Hunk } from "./patch-file.ts";

export const HUNK_HEAD: RegExp = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Lines of a patch, and how far they are read. */
export class PatchLines {
  readonly lines: readonly string[];
  at = 0;

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  get next(): string | undefined {
    return this.lines[this.at];
  }

  /** The line without its end. */
  get text(): string {
    return this.next?.replace(/\r?\n$/, "") ?? "";
  }
}

/** @throws {BadPatch} if a hunk has not the lines that its head says. */
export function parseHunks(input: PatchLines): Hunk[] {
  const hunks: Hunk[] = [];
  for (let head = HUNK_HEAD.exec(input.next ?? ""); head; head = HUNK_HEAD.exec(input.next ?? "")) {
    const from = input.at++;
    let [oldLeft, newLeft] = [Number(head[2] ?? 1), Number(head[4] ?? 1)];
    const lines: string[] = [];
    while (oldLeft > 0 || newLeft > 0) {
      const line = input.next;
      const sign = line === undefined ? "" : line === "\n" || line === "\r\n" ? " " : line[0]!;
      if (sign === "\\") dropLineEnd(lines);
      else if (line !== undefined && " -+".includes(sign)) {
        lines.push(line === "\n" || line === "\r\n" ? ` ${line}` : withEnd(line));
        if (sign !== "+") oldLeft--;
        if (sign !== "-") newLeft--;
      } else throw new BadPatch(`corrupt patch at line ${input.at + 1}`);
      if (oldLeft < 0 || newLeft < 0) throw new BadPatch(`corrupt patch at line ${input.at + 1}`);
      input.at++;
    }
    if (input.next?.startsWith("\\ ")) {
      dropLineEnd(lines);
      input.at++;
    }
    const text = input.lines.slice(from, input.at).join("");
    hunks.push({ oldStart: Number(head[1]), newStart: Number(head[3]), lines, text });
  }
  return hunks;
}

/** The patch's own last line may lack its end. */
function withEnd(line: string): string {
  return line.endsWith("\n") ? line : `${line}\n`;
}

function dropLineEnd(lines: string[]): void {
  const last = lines.pop();
  if (last !== undefined) lines.push(last.replace(/\n$/, ""));
}

/** What stands below `GIT binary patch`. @throws {BadPatch} */
export function parseBinary(input: PatchLines): readonly [BinaryData, BinaryData?] {
  const first = binaryData(input);
  if (!first) throw new BadPatch(`unrecognized binary patch at line ${input.at}`);
  const second = binaryData(input);
  return second ? [first, second] : [first];
}

function binaryData(input: PatchLines): BinaryData | undefined {
  const head = /^(literal|delta) (\d+)$/.exec(input.text);
  if (!head) return undefined;
  input.at++;
  const lines: string[] = [];
  while (input.text !== "") {
    lines.push(input.text);
    input.at++;
  }
  input.at++;
  return { kind: head[1] as BinaryData["kind"], size: Number(head[2]), lines };
}
