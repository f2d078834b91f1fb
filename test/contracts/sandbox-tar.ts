/** A file (the default), a folder or a symbolic link in an archive. */
export interface TarEntry {
  readonly name: string;
  readonly content?: string;
  /** @default 0o644 */
  readonly mode?: number;
  readonly folder?: true;
  /** Where a symbolic link leads. */
  readonly link?: string;
}

/** A ustar archive, POSIX.1-1988. A name of more than 100 bytes is split at a slash. */
export function tar(entries: readonly TarEntry[]): Uint8Array {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? "");
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
    return [header(entry, content.length), content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

function header({ name, mode = 0o644, folder, link }: TarEntry, size: number): Buffer {
  const block = Buffer.alloc(512);
  const split = Buffer.byteLength(name) > 100 ? name.lastIndexOf("/", 100) : -1;
  block.write(name.slice(split + 1), 0);
  if (split > 0) block.write(name.slice(0, split), 345);
  const octal = (value: number, at: number, digits: number): void => {
    block.write(value.toString(8).padStart(digits, "0"), at);
  };
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(1_000_000_000, 136, 11);
  block.write(folder ? "5" : link !== undefined ? "2" : "0", 156);
  block.write(link ?? "", 157);
  block.write("ustar\x0000", 257, "latin1");
  block.fill(" ", 148, 156);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block[154] = 0;
  return block;
}
