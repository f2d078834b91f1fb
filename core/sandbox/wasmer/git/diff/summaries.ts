import { quotedPath } from "../quote.ts";
import { isBinary } from "./binary.ts";
import { blocksOf, linesOf } from "./lines.ts";
import type { ShownChange } from "./renames.ts";

/** Columns that `--stat` fills. */
const WIDTH = 80;

interface Counts {
  readonly added: number;
  readonly removed: number;
  readonly sizes?: readonly [number, number];
}

function countsOf({ old, now }: ShownChange): Counts {
  const [before, after] = [old?.content ?? new Uint8Array(), now?.content ?? new Uint8Array()];
  if (isBinary(before) || isBinary(after))
    return { added: 0, removed: 0, sizes: [before.length, after.length] };
  let [added, removed] = [0, 0];
  for (const { oldFrom, oldTo, newFrom, newTo } of blocksOf(linesOf(before), linesOf(after))) {
    added += newTo - newFrom;
    removed += oldTo - oldFrom;
  }
  return { added, removed };
}

/** `--numstat` */
export function numstat(changes: readonly ShownChange[]): string {
  return changes
    .map((change) => {
      const { added, removed, sizes } = countsOf(change);
      return `${sizes ? "-\t-" : `${added}\t${removed}`}\t${nameOf(change)}\n`;
    })
    .join("");
}

/** The last line of `--stat`. */
export function shortstat(changes: readonly ShownChange[]): string {
  const counts = changes.map(countsOf);
  if (counts.length === 0) return "";
  const added = counts.reduce((sum, count) => sum + count.added, 0);
  const removed = counts.reduce((sum, count) => sum + count.removed, 0);
  let text = ` ${counts.length} file${counts.length === 1 ? "" : "s"} changed`;
  if (added > 0 || removed === 0) text += `, ${added} insertion${added === 1 ? "" : "s"}(+)`;
  if (removed > 0 || added === 0) text += `, ${removed} deletion${removed === 1 ? "" : "s"}(-)`;
  return `${text}\n`;
}

/** `--stat`, as wide as git has it where there is no terminal. */
export function stat(changes: readonly ShownChange[]): string {
  const rows = changes.map((change) => ({ name: nameOf(change), ...countsOf(change) }));
  if (rows.length === 0) return "";
  const most = Math.max(...rows.map(({ added, removed }) => added + removed));
  const hasBinary = rows.some(({ sizes }) => sizes);
  const numberWidth = Math.max(String(most).length, hasBinary ? 3 : 0);
  let nameWidth = Math.max(...rows.map(({ name }) => name.length));
  let graphWidth = most;
  if (nameWidth + numberWidth + 6 + graphWidth > WIDTH) {
    const share = Math.floor((WIDTH * 3) / 8) - numberWidth - 6;
    if (graphWidth > share) graphWidth = Math.max(share, 6);
    if (nameWidth > WIDTH - numberWidth - 6 - graphWidth) nameWidth = WIDTH - numberWidth - 6 - graphWidth;
    else graphWidth = WIDTH - numberWidth - 6 - nameWidth;
  }
  const scaled = (count: number): number =>
    count === 0 ? 0 : most <= graphWidth ? count : 1 + Math.floor((count * (graphWidth - 1)) / most);
  const lines = rows.map(({ name, added, removed, sizes }) => {
    const start = ` ${cut(name, nameWidth).padEnd(nameWidth)} | `;
    if (sizes) {
      const [before, after] = sizes;
      return `${start}${"Bin".padStart(numberWidth)}${before === 0 && after === 0 ? "" : ` ${before} -> ${after} bytes`}`;
    }
    const count = String(added + removed).padStart(numberWidth);
    let [plus, minus] = [scaled(added), scaled(removed)];
    if (most > graphWidth && added > 0 && removed > 0) {
      const total = Math.max(2, scaled(added + removed));
      if (added < removed) minus = total - plus;
      else plus = total - minus;
    }
    return `${start}${count}${plus + minus > 0 ? " " : ""}${"+".repeat(plus)}${"-".repeat(minus)}`;
  });
  return `${lines.join("\n")}\n${shortstat(changes)}`;
}

function cut(name: string, width: number): string {
  if (name.length <= width) return name;
  const end = name.slice(name.length - width + 3);
  const slash = end.indexOf("/");
  return `...${slash === -1 ? end : end.slice(slash)}`;
}

/** `a => b`, or what the two paths have in common with `{old => new}` in its middle. */
function nameOf({ path, from }: ShownChange): string {
  if (from === undefined) return quotedPath(path);
  if (quotedPath(from) !== from || quotedPath(path) !== path)
    return `${quotedPath(from)} => ${quotedPath(path)}`;
  let head = 0;
  for (let at = 0; at < from.length && at < path.length && from[at] === path[at]; at++)
    if (from[at] === "/") head = at + 1;
  let tail = 0;
  for (let at = 1; at <= Math.min(from.length, path.length) - head + 1; at++) {
    if (from.at(-at) !== path.at(-at)) break;
    if (from.at(-at) === "/") tail = at;
  }
  if (head === 0 && tail === 0) return `${from} => ${path}`;
  const middle = (name: string): string => name.slice(head, Math.max(head, name.length - tail));
  return `${from.slice(0, head)}{${middle(from)} => ${middle(path)}}${tail === 0 ? "" : from.slice(-tail)}`;
}

/** `--summary`: files that came, went, were renamed or got another mode. */
export function summary(changes: readonly ShownChange[]): string {
  return changes
    .map((change) => {
      const { path, from, old, now } = change;
      if (!old) return ` create mode ${now!.mode} ${quotedPath(path)}\n`;
      if (!now) return ` delete mode ${old.mode} ${quotedPath(path)}\n`;
      if (from !== undefined) return ` rename ${nameOf(change)} (100%)\n`;
      return old.mode === now.mode ? "" : ` mode change ${old.mode} => ${now.mode} ${quotedPath(path)}\n`;
    })
    .join("");
}

/** The letter that stands for what happened. */
export function letterOf({ old, now, from, isOther }: ShownChange): string {
  if (from !== undefined && !isOther) return "R";
  if (!old) return "A";
  if (!now) return "D";
  return (old.mode === "120000") === (now.mode === "120000") ? "M" : "T";
}
