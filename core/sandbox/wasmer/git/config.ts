import type { FileTree } from "../tree/file-tree.ts";
import { readText, writeText } from "./text-files.ts";

/** One setting: `section.key` or `section.Sub.key`, the key and the section in small letters. */
type Setting = readonly [name: string, value: string];

/** Settings of a file in git's format. Includes are not followed. */
export function parseConfig(text: string): Setting[] {
  const settings: Setting[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    const head = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/.exec(line);
    const rest = head ? head[3]! : line.trim();
    if (head)
      section = head[1]!.toLowerCase() + (head[2] === undefined ? "" : `.${head[2].replace(/\\(.)/g, "$1")}`);
    const pair = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest);
    if (pair) settings.push([`${section}.${pair[1]!.toLowerCase()}`, textOfValue(pair[2] ?? "true")]);
  }
  return settings;
}

function textOfValue(text: string): string {
  let value = "";
  let inQuotes = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (letter === '"') inQuotes = !inQuotes;
    else if (letter === "\\") value += { n: "\n", t: "\t" }[text[++at] ?? ""] ?? text[at] ?? "";
    else if (!inQuotes && (letter === "#" || letter === ";")) break;
    else value += letter;
  }
  return inQuotes ? value : value.trimEnd();
}

/** `User.Name` is `user.name`; what stands between the first dot and the last keeps its letters. */
export function settingName(name: string): string {
  const [first, last] = [name.indexOf("."), name.lastIndexOf(".")];
  return name.slice(0, first).toLowerCase() + name.slice(first, last) + name.slice(last).toLowerCase();
}

/** One file of settings, read and written. */
export class ConfigFile {
  readonly #tree: FileTree;
  readonly #path: string;

  constructor(tree: FileTree, path: string) {
    this.#tree = tree;
    this.#path = path;
  }

  all(): Setting[] {
    return parseConfig(readText(this.#tree, this.#path) ?? "");
  }

  /** Sets one value in the place of all that there are, or adds one; without a value, all go. @returns how many there were. */
  change(name: string, value: string | undefined, add = false): number {
    const lines = (readText(this.#tree, this.#path) ?? "")
      .split("\n")
      .filter((line, at, all) => line || at < all.length - 1);
    const full = settingName(name);
    const [section, key] = [full.slice(0, full.lastIndexOf(".")), name.slice(name.lastIndexOf(".") + 1)];
    const kept: string[] = [];
    let [current, last, numOld] = ["", -1, 0];
    for (const line of lines) {
      const [setting] = parseConfig(line.includes("[") ? line : `[${headOf(current)}]\n${line}`);
      const head = /^\s*\[/.test(line) ? sectionOf(line) : undefined;
      if (head !== undefined) current = head;
      const isIt = head === undefined && setting?.[0] === full;
      if (isIt) numOld++;
      if (!isIt || add) kept.push(line);
      if (current === section) last = kept.length;
    }
    if (value !== undefined) {
      const line = `\t${key} = ${written(value)}`;
      if (last === -1) kept.push(`[${headOf(section)}]`, line);
      else kept.splice(last, 0, line);
    }
    // A section goes with the last that is in it.
    const isHead = (line: string | undefined): boolean =>
      line !== undefined && /^\s*\[[^\]]*\]\s*$/.test(line);
    const left = kept.filter(
      (line, at) => value !== undefined || !isHead(line) || !(isHead(kept[at + 1]) || at + 1 === kept.length),
    );
    writeText(this.#tree, this.#path, left.map((line) => `${line}\n`).join(""));
    return numOld;
  }
}

function sectionOf(line: string): string {
  return parseConfig(`${line.slice(0, line.lastIndexOf("]") + 1)}\nx = y`)[0]?.[0].slice(0, -2) ?? "";
}

function headOf(section: string): string {
  const dot = section.indexOf(".");
  if (dot === -1) return section;
  return `${section.slice(0, dot)} "${section.slice(dot + 1).replace(/["\\]/g, "\\$&")}"`;
}

function written(value: string): string {
  const escaped = value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return /^\s|\s$|[#;]/.test(value) ? `"${escaped}"` : escaped;
}
