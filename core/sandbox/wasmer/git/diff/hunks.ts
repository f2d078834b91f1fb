import { type Block, blocksOf } from "./lines.ts";

/** Letters of the line that stands behind `@@`, at most. */
const MAX_HEADING = 80;

/** The hunks of a unified diff of two texts of bytes, given as lines. */
export function hunks(old: readonly string[], now: readonly string[], numContext: number): string {
  let text = "";
  let group: Block[] = [];
  const flush = (): void => {
    if (group.length > 0) text += hunk(group, old, now, numContext);
    group = [];
  };
  for (const block of blocksOf(old, now)) {
    const last = group.at(-1);
    if (last && block.oldFrom - last.oldTo > 2 * numContext) flush();
    group.push(block);
  }
  flush();
  return text;
}

function hunk(
  blocks: readonly Block[],
  old: readonly string[],
  now: readonly string[],
  context: number,
): string {
  const [first, last] = [blocks[0]!, blocks.at(-1)!];
  const before = Math.min(context, first.oldFrom);
  const after = Math.min(context, old.length - last.oldTo);
  const [oldFrom, oldTo] = [first.oldFrom - before, last.oldTo + after];
  const [newFrom, newTo] = [first.newFrom - before, last.newTo + after];
  let body = "";
  let at = oldFrom;
  const add = (sign: string, lines: readonly string[]): void => {
    for (const line of lines)
      body += line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
  };
  for (const block of blocks) {
    add(" ", old.slice(at, block.oldFrom));
    add("-", old.slice(block.oldFrom, block.oldTo));
    add("+", now.slice(block.newFrom, block.newTo));
    at = block.oldTo;
  }
  add(" ", old.slice(at, oldTo));
  return `@@ -${range(oldFrom, oldTo)} +${range(newFrom, newTo)} @@${heading(old, oldFrom)}\n${body}`;
}

function range(from: number, to: number): string {
  const count = to - from;
  if (count === 1) return String(from + 1);
  return `${count === 0 ? from : from + 1},${count}`;
}

/** The nearest line above that begins with a letter, as of a function. */
function heading(old: readonly string[], from: number): string {
  for (let at = from - 1; at >= 0; at--) {
    const line = old[at]!;
    if (/^[A-Za-z_$]/.test(line)) return ` ${line.slice(0, MAX_HEADING).trimEnd()}`;
  }
  return "";
}
