import { asWritten } from "./clip.ts";
import { AgentMistake } from "./tool.ts";

/** One stretch of a text becomes another. Offsets count UTF-16 units of the text as it stands in the file. */
export interface Edit {
  readonly at: number;
  readonly removed: string;
  readonly added: string;
  /** The first line that it touches, from 1. */
  readonly line: number;
}

export function applied(text: string, { at, removed, added }: Edit): string {
  return text.slice(0, at) + added + text.slice(at + removed.length);
}

/** Lines as the agent sees and writes them: ended by "\n", whatever the file has. */
export function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** The lines of a text; a final newline ends the last one and starts none. */
export function linesOf(text: string): string[] {
  const lines = plain(text).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Lines with matches that a message names. */
const LINES_NAMED = 20;

/**
 * The edit that turns the one place where `old` stands into `fresh`. The agent's "\n" matches the file's "\r\n", and
 * what is the same in both keeps its bytes. Where `old` stands nowhere but does once without the white space around
 * it, both are taken without: R2E-Gym strips every argument, and what works there is to work here.
 * @throws {AgentMistake} if `old` is empty, the same as `fresh`, or stands nowhere or more than once.
 */
export function replaceOnce(text: string, old: string, fresh: string): Edit {
  const body = plain(text);
  const [from, to] = [plain(old), plain(asWritten(fresh))];
  if (from === "") throw new AgentMistake("Parameter `old_str` is empty; it must say what to replace.");
  if (from === to) throw new AgentMistake("`old_str` and `new_str` are the same, so nothing was changed.");
  const places = placesOf(body, from);
  const [place] = places;
  if (places.length === 1) return shortest(text, place!, from, to);
  if (places.length > 1) throw new AgentMistake(severalTimes("`old_str`", body, places));
  const bare = from.trim();
  const barePlaces = bare === "" || bare === from ? [] : placesOf(body, bare);
  if (barePlaces.length === 1 && bare !== to.trim()) return shortest(text, barePlaces[0]!, bare, to.trim());
  const hint =
    barePlaces.length > 1
      ? ` ${severalTimes("Without the white space around it, it", body, barePlaces)}`
      : " View the file and copy the text exactly, white space included.";
  throw new AgentMistake(`\`old_str\` was not found, so nothing was changed.${hint}`);
}

/** Where `part` stands in `text`, without overlaps. */
function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function severalTimes(what: string, text: string, places: readonly number[]): string {
  const named = linesAt(text, places.slice(0, LINES_NAMED)).join(", ");
  const more = places.length > LINES_NAMED ? ", ..." : "";
  return `${what} stands in ${places.length} places (lines ${named}${more}), so nothing was changed. Add lines around it until it is the only one.`;
}

/** Line numbers, from 1, of ascending offsets. */
function linesAt(text: string, places: readonly number[]): number[] {
  let [line, seen] = [1, 0];
  return places.map((place) => {
    line += countOf(text.slice(seen, place), "\n");
    seen = place;
    return line;
  });
}

/** The edit without what `from` and `to` have in common at both ends. `place` counts in the plain text. */
function shortest(text: string, place: number, from: string, to: string): Edit {
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && from[head] === to[head]) head++;
  if (head > 0 && isHighSurrogate(from, head - 1)) head--;
  let tail = 0;
  while (tail < most - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++;
  if (tail > 0 && isHighSurrogate(from, from.length - tail - 1)) tail--;
  const at = inFile(text, place + head);
  const end = inFile(text, place + from.length - tail);
  return {
    at,
    removed: text.slice(at, end),
    added: withEnds(text, to.slice(head, to.length - tail)),
    line: countOf(text.slice(0, at), "\n") + 1,
  };
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}

/**
 * The edit that puts `fresh` after a line, as whole lines. A file without a final newline stays one without.
 * @throws {AgentMistake} if there is no such line.
 */
export function insertAfter(text: string, line: number, fresh: string): Edit {
  const count = linesOf(text).length;
  if (line > count)
    throw new AgentMistake(
      `\`insert_line\` is ${line}, but the file has ${count} lines; give a number from 0 to ${count}.`,
    );
  let at = 0;
  for (let passed = 0; passed < line; passed++) at = text.indexOf("\n", at) + 1 || text.length;
  const lines = plain(asWritten(fresh)).replace(/\n$/, "");
  const isOpenEnd = at === text.length && text !== "" && !text.endsWith("\n");
  const added = withEnds(text, isOpenEnd ? `\n${lines}` : `${lines}\n`);
  return { at, removed: "", added, line: line + 1 };
}

/** `added` with the line ends that most lines of the file have. */
function withEnds(text: string, added: string): string {
  const isCrlf = countOf(text, "\r\n") * 2 > countOf(text, "\n");
  return isCrlf ? added.replaceAll("\n", "\r\n") : added;
}

/** The offset in the file of an offset in its plain text. */
function inFile(text: string, offset: number): number {
  let index = offset;
  for (let at = text.indexOf("\r\n"); at >= 0 && at < index; at = text.indexOf("\r\n", at + 2)) index++;
  return index;
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}
