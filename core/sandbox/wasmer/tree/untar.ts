import { FileError } from "../../../errors.ts";
import { Fault } from "./fault.ts";
import type { FileTree } from "./file-tree.ts";
import { namesOf } from "./path.ts";

const BLOCK = 512;

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly mode: number;
  readonly link: string;
  readonly content: Uint8Array;
}

/**
 * Unpacks a tar archive (ustar, with the long names of pax and GNU) below a folder that is there. Nothing is written
 * outside of the folder; owners and dates are not kept.
 * @throws {FileError} if it is no archive, if it is cut off, or if a name leads out.
 */
export function untar(tree: FileTree, folder: string, archive: Uint8Array): void {
  const top = tree.realPath(folder);
  for (const entry of entries(Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength))) {
    put(tree, top, entry);
  }
}

function put(tree: FileTree, top: string, entry: Entry): void {
  const names = namesOf(entry.name);
  if (entry.name.startsWith("/") || names.includes("..")) {
    throw new FileError(`wasmer: expected names inside the folder in the archive, got "${entry.name}"`);
  }
  if (names.length === 0) return;
  const inside = prefix(top);
  const parent = `${inside}${names.slice(0, -1).join("/")}`;
  tree.mkdirs(parent);
  if (!prefix(tree.realPath(parent)).startsWith(inside)) {
    throw new FileError(`wasmer: "${entry.name}" in the archive leads out of the folder by a link`);
  }
  const path = `${prefix(parent)}${names.at(-1)}`;
  const there = lookAt(tree, path);
  if (entry.type === "5") {
    if (there?.kind !== "folder") tree.mkdir(path);
  } else {
    if (there) tree.remove(path);
    if (entry.type === "2") tree.symlink(entry.link, path);
    else if (entry.type === "1") tree.write(path, linked(tree, inside, entry));
    else tree.write(path, entry.content);
  }
  if (entry.type !== "2") tree.chmod(path, entry.mode);
}

function linked(tree: FileTree, inside: string, { name, link }: Entry): Uint8Array {
  const target = tree.realPath(`${inside}${link}`);
  if (!target.startsWith(inside)) {
    throw new FileError(`wasmer: "${name}" in the archive leads out of the folder by a link`);
  }
  return tree.read(target);
}

function prefix(folder: string): string {
  return folder.endsWith("/") ? folder : `${folder}/`;
}

function lookAt(tree: FileTree, path: string): ReturnType<FileTree["lstat"]> | undefined {
  try {
    return tree.lstat(path);
  } catch (error) {
    if (error instanceof Fault && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function* entries(archive: Buffer): Generator<Entry> {
  let long: { path?: string; linkpath?: string } = {};
  let at = 0;
  while (at + BLOCK <= archive.length) {
    const block = archive.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) return;
    checkSum(block);
    const size = number(block, 124, 12);
    const start = at + BLOCK;
    if (start + size > archive.length) throw new FileError("wasmer: the archive is cut off");
    const content = archive.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    const type = block[156] === 0 ? "0" : String.fromCharCode(block[156]!);
    if (type === "x") long = { ...long, ...pax(content) };
    else if (type === "L") long = { ...long, path: text(content, 0, size) };
    else if (type === "K") long = { ...long, linkpath: text(content, 0, size) };
    else {
      const name = long.path ?? fullName(block);
      const link = long.linkpath ?? text(block, 157, 100);
      // Copied, so that a file of a few bytes does not keep the whole archive in memory.
      if ("01257".includes(type)) {
        yield { name, type, mode: number(block, 100, 8) & 0o7777, link, content: Uint8Array.from(content) };
      }
      long = {};
    }
  }
  if (at !== archive.length) throw new FileError("wasmer: the archive is cut off");
}

function fullName(block: Buffer): string {
  const folder = block.toString("latin1", 257, 262) === "ustar" ? text(block, 345, 155) : "";
  return folder === "" ? text(block, 0, 100) : `${folder}/${text(block, 0, 100)}`;
}

function checkSum(block: Buffer): void {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (sum !== number(block, 148, 8))
    throw new FileError("wasmer: expected a tar archive, got something else");
}

function number(block: Buffer, at: number, length: number): number {
  if (block[at]! & 0x80) return Number(BigInt.asUintN(64, block.readBigUInt64BE(at + length - 8)));
  return Number.parseInt(text(block, at, length).trim() || "0", 8);
}

function text(block: Buffer, at: number, length: number): string {
  const end = block.subarray(at, at + length).indexOf(0);
  return block.toString("utf8", at, end === -1 ? at + length : at + end);
}

/** Records like `30 path=some/long/name\n`, the number being the length of the record. */
function pax(content: Buffer): { path?: string; linkpath?: string } {
  const result: { path?: string; linkpath?: string } = {};
  let at = 0;
  while (at < content.length) {
    const length = Number.parseInt(content.toString("latin1", at, at + 20), 10);
    if (!(length > 0)) throw new FileError("wasmer: a header of the archive makes no sense");
    const record = content.toString("utf8", content.indexOf(" ", at) + 1, at + length - 1);
    const [key, value] = [record.slice(0, record.indexOf("=")), record.slice(record.indexOf("=") + 1)];
    if (key === "path" || key === "linkpath") result[key] = value;
    at += length;
  }
  return result;
}
