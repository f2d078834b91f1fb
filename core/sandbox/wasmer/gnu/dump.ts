import { type GnuEnd, GnuError, type GnuWorld } from "./call.ts";
import { contentOf, sizeOf } from "./files.ts";
import { parseOptions } from "./options.ts";

const NAMED = ["\\0", "", "", "", "", "", "", "\\a", "\\b", "\\t", "\\n", "\\v", "\\f", "\\r"];

interface Format {
  /** Bytes of one number. */
  readonly size: number;
  readonly width: number;
  readonly show: (value: number) => string;
}

/** `od` for `-t` of `x`, `o`, `u`, `d` with 1, 2 or 4 bytes and of `c`, `a` left out; `-c -b -x -o -d`. */
export function od(args: readonly string[], world: GnuWorld): GnuEnd {
  const flags = {
    "-A": "value",
    "-t": "value",
    "-N": "value",
    "-j": "value",
    "-v": "none",
    "-c": "none",
    "-b": "none",
    "-x": "none",
    "-o": "none",
    "-d": "none",
    "-w": "maybe",
  } as const;
  const names = {
    "--address-radix": "-A",
    "--format": "-t",
    "--read-bytes": "-N",
    "--skip-bytes": "-j",
    "--output-duplicates": "-v",
  };
  const { given, words, value, has } = parseOptions(args, flags, names);
  const old: Readonly<Record<string, string>> = { "-c": "c", "-b": "o1", "-x": "x2", "-o": "o2", "-d": "u2" };
  const kinds = given.flatMap(([flag, text]) => {
    if (flag !== "-t") return old[flag] ? [old[flag]] : [];
    if (!/^([cxoud][124]?)+$/.test(text ?? ""))
      throw new GnuError(`-t ${text}: expected c, or x, o, u or d with 1, 2 or 4 in the sandbox`);
    return text!.match(/[cxoud][124]?/g)!;
  });
  const formats = (kinds.length > 0 ? kinds : ["o2"]).map(formatOf);
  const radix = value("-A") ?? "o";
  if (!/^[doxn]$/.test(radix))
    throw new GnuError(`invalid output address radix '${radix}'; it must be one character from [doxn]`);
  const width = has("-w") ? Number(value("-w") ?? 32) : 16;
  const all = Buffer.concat((words.length > 0 ? words : ["-"]).map((word) => contentOf(world, word)));
  const start = sizeOf(value("-j") ?? "0", "-j argument");
  const limit = value("-N");
  const bytes = all.subarray(start, limit === undefined ? undefined : start + sizeOf(limit, "-N argument"));
  const cell = Math.max(...formats.map((format) => (format.width + 1) / format.size));
  const address = (place: number): string =>
    radix === "n"
      ? ""
      : (place + start).toString({ d: 10, o: 8, x: 16 }[radix]).padStart(radix === "x" ? 6 : 7, "0");
  let out = "";
  let last: Buffer | undefined;
  let isSkipping = false;
  for (let place = 0; place < bytes.length; place += width) {
    const line = bytes.subarray(place, place + width);
    if (!has("-v") && last && line.length === width && line.equals(last)) {
      if (!isSkipping) out += "*\n";
      isSkipping = true;
      continue;
    }
    isSkipping = false;
    last = line;
    for (const [index, format] of formats.entries()) {
      const head = index === 0 ? address(place) : " ".repeat(address(place).length);
      out += `${head}${rowOf(line, format, Math.round(cell * format.size))}\n`;
    }
  }
  return { stdout: radix === "n" ? out : `${out}${address(bytes.length)}\n` };
}

function formatOf(kind: string): Format {
  if (kind[0] === "c")
    return {
      size: 1,
      width: 3,
      show: (byte) =>
        NAMED[byte] ||
        (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, "0")),
    };
  const size = Number(kind[1] ?? 4);
  const radix = { x: 16, o: 8, u: 10, d: 10 }[kind[0] as "x"];
  const isSigned = kind[0] === "d";
  const digits = (2 ** (8 * size) - 1).toString(radix).length;
  const width = digits + (isSigned ? 1 : 0);
  return {
    size,
    width,
    show(value) {
      const signed = isSigned && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
      return radix === 10 ? String(signed) : signed.toString(radix).padStart(digits, "0");
    },
  };
}

function rowOf(line: Buffer, { size, show }: Format, cell: number): string {
  let row = "";
  for (let place = 0; place < line.length; place += size) {
    const part = Buffer.concat([line.subarray(place, place + size), Buffer.alloc(size)]).subarray(0, size);
    row += show(part.readUIntLE(0, size)).padStart(cell);
  }
  return row;
}

/** `xxd`, and `xxd -p`; `-r` is not here. */
export function xxd(args: readonly string[], world: GnuWorld): GnuEnd {
  const flags = {
    "-p": "none",
    "-l": "value",
    "-s": "value",
    "-c": "value",
    "-g": "value",
    "-u": "none",
  } as const;
  const { words, has, value } = parseOptions(args, flags);
  if (words.length > 1) throw new GnuError("expected one file in the sandbox's xxd");
  const start = sizeOf(value("-s") ?? "0", "-s argument");
  const all = Buffer.from(contentOf(world, words[0] ?? "-")).subarray(start);
  const bytes = value("-l") === undefined ? all : all.subarray(0, sizeOf(value("-l")!, "-l argument"));
  const width = Number(value("-c") ?? (has("-p") ? 30 : 16));
  const group = Number(value("-g") ?? 2) || width;
  const hex = (part: Buffer): string =>
    has("-u") ? part.toString("hex").toUpperCase() : part.toString("hex");
  let out = "";
  for (let place = 0; place < bytes.length; place += width) {
    const line = bytes.subarray(place, place + width);
    if (has("-p")) {
      out += `${hex(line)}\n`;
      continue;
    }
    let cells = "";
    for (let index = 0; index < width; index += group)
      cells += `${hex(line.subarray(index, index + group)).padEnd(2 * Math.min(group, width - index))} `;
    out += `${(place + start).toString(16).padStart(8, "0")}: ${cells} ${printable(line)}\n`;
  }
  return { stdout: out };
}

/** `hexdump -C`, and `hd`. */
export function hexdump(args: readonly string[], world: GnuWorld): GnuEnd {
  const { words, has, value } = parseOptions(args, {
    "-C": "none",
    "-n": "value",
    "-s": "value",
    "-v": "none",
  });
  if (!has("-C")) throw new GnuError("only `hexdump -C` is in the sandbox; see also od and xxd");
  const start = sizeOf(value("-s") ?? "0", "-s argument");
  const all = Buffer.concat(
    (words.length > 0 ? words : ["-"]).map((word) => contentOf(world, word)),
  ).subarray(start);
  const bytes = value("-n") === undefined ? all : all.subarray(0, sizeOf(value("-n")!, "-n argument"));
  const address = (place: number): string => (place + start).toString(16).padStart(8, "0");
  let out = "";
  let last: Buffer | undefined;
  let isSkipping = false;
  for (let place = 0; place < bytes.length; place += 16) {
    const line = bytes.subarray(place, place + 16);
    const isSame = !has("-v") && last !== undefined && line.length === 16 && line.equals(last);
    if (isSame && !isSkipping) out += "*\n";
    isSkipping = isSame;
    last = line;
    if (isSame) continue;
    const cells = [line.subarray(0, 8), line.subarray(8)].map((half) =>
      [...half]
        .map((byte) => byte.toString(16).padStart(2, "0"))
        .join(" ")
        .padEnd(23),
    );
    out += `${address(place)}  ${cells.join("  ")}  |${printable(line)}|\n`;
  }
  return { stdout: bytes.length > 0 ? `${out}${address(bytes.length)}\n` : "" };
}

function printable(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/[^ -~]/g, ".");
}
