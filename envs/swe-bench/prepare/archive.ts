import { readFile, readlink } from "node:fs/promises";
import { InputError } from "../../../core/errors.ts";
import { type Found, type WalkOptions, walk } from "./walk.ts";

const BLOCK = 512;
/** What a name field holds. */
const FIELD = 100;

interface Entry {
  readonly type: "file" | "folder" | "link" | "long name" | "long link";
  readonly name: Buffer;
  readonly content: Buffer;
  readonly link: Buffer;
  readonly mode: number;
  readonly seconds: number;
}

const TYPES: Readonly<Record<Entry["type"], string>> = {
  file: "0",
  link: "2",
  folder: "5",
  "long link": "K",
  "long name": "L",
};

/**
 * A tar archive of what is below a folder, for `Sandbox.putArchive`: files, empty folders too, links as links, the bits
 * of the mode, dates to the second, owner 0. In GNU's form, which takes names of any length and any bytes.
 * @param options `git: false` leaves out the repository. @default true
 * @throws {InputError} if something is neither file, folder nor link.
 */
export async function archiveOf(
  folder: string,
  { git = true }: Partial<WalkOptions> = {},
): Promise<Uint8Array> {
  const blocks: Buffer[] = [];
  for await (const found of walk(folder, { git })) {
    for (const entry of await entriesOf(found)) {
      const padding = -entry.content.length & (BLOCK - 1);
      blocks.push(header(entry), entry.content, Buffer.alloc(padding));
    }
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

async function entriesOf({ name, path, stats }: Found): Promise<Entry[]> {
  const nothing = Buffer.alloc(0);
  const isLink = stats.isSymbolicLink();
  const link = isLink ? await readlink(path, { encoding: "buffer" }) : nothing;
  const shown = stats.isDirectory() ? Buffer.concat([name, Buffer.from("/")]) : name;
  const content = stats.isFile() ? await readFile(path) : nothing;
  if (content.length >= 8 ** 11) throw new InputError(`prepare: ${path} is too large for an archive`);
  const type = isLink ? "link" : stats.isFile() ? "file" : "folder";
  const seconds = Math.max(0, Math.floor(stats.mtimeMs / 1000));
  const entry: Entry = { type, name: shown, content, link, mode: stats.mode & 0o777, seconds };
  const long = (kind: Entry["type"], text: Buffer): Entry[] =>
    text.length <= FIELD
      ? []
      : [
          {
            type: kind,
            name: Buffer.from("././@LongLink"),
            content: Buffer.concat([text, Buffer.alloc(1)]),
            link: nothing,
            mode: 0,
            seconds: 0,
          },
        ];
  return [...long("long link", link), ...long("long name", shown), entry];
}

function header({ type, name, content, link, mode, seconds }: Entry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number): void => {
    block.write(value.toString(8).padStart(digits, "0"), at, "latin1");
  };
  name.copy(block, 0, 0, FIELD);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(content.length, 124, 11);
  octal(seconds, 136, 11);
  block.fill(" ", 148, 156);
  block.write(TYPES[type], 156, "latin1");
  link.copy(block, 157, 0, FIELD);
  block.write("ustar  \0", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  octal(sum, 148, 6);
  block[154] = 0;
  return block;
}
