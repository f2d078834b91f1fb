import { at, type GnuEnd, GnuError, type GnuWorld } from "./call.ts";
import { bytesOf, contentOf, latin1 } from "./files.ts";
import { type Options, parseOptions } from "./options.ts";
import { compared, keyOf, type Ordering, orderingOf, type SortKey } from "./sort-key.ts";

const FLAGS = {
  "-b": "none",
  "-d": "none",
  "-f": "none",
  "-g": "none",
  "-h": "none",
  "-i": "none",
  "-M": "none",
  "-n": "none",
  "-r": "none",
  "-V": "none",
  "-c": "maybe",
  "-C": "none",
  "-k": "value",
  "-m": "none",
  "-o": "value",
  "-s": "none",
  "-S": "value",
  "-T": "value",
  "-t": "value",
  "-u": "none",
  "-z": "none",
  "--parallel": "value",
} as const;

const NAMES = {
  "--ignore-leading-blanks": "-b",
  "--dictionary-order": "-d",
  "--ignore-case": "-f",
  "--general-numeric-sort": "-g",
  "--human-numeric-sort": "-h",
  "--ignore-nonprinting": "-i",
  "--month-sort": "-M",
  "--numeric-sort": "-n",
  "--reverse": "-r",
  "--version-sort": "-V",
  "--key": "-k",
  "--merge": "-m",
  "--output": "-o",
  "--stable": "-s",
  "--buffer-size": "-S",
  "--temporary-directory": "-T",
  "--field-separator": "-t",
  "--unique": "-u",
  "--zero-terminated": "-z",
};

/** `sort`, as GNU's in the locale C.UTF-8: by bytes. */
export function sort(args: readonly string[], world: GnuWorld): GnuEnd {
  const options = parseOptions(
    args.map((arg) => (arg.startsWith("--check") ? "-c" : arg)),
    FLAGS,
    NAMES,
  );
  const { words, has, value } = options;
  const lineEnd = has("-z") ? "\0" : "\n";
  const names = words.length > 0 ? words : ["-"];
  const lines = names.flatMap((name) => linesIn(contentOrFail(world, name), lineEnd));
  const order = orderOf(options);
  if (has("-c", "-C")) {
    const bad = lines.findIndex(
      (line, index) => index > 0 && order.keys(lines[index - 1]!, line) > (has("-u") ? -1 : 0),
    );
    if (bad === -1) return { stdout: "" };
    if (has("-C")) return { stdout: "", exitCode: 1 };
    throw new GnuError(`${names[0]}:${bad + 1}: disorder: ${lines[bad]}`, 1);
  }
  const sorted = lines.sort(has("-s", "-u") ? order.keys : order.whole);
  const kept = has("-u")
    ? sorted.filter((line, index) => index === 0 || order.keys(sorted[index - 1]!, line) !== 0)
    : sorted;
  const bytes = bytesOf(kept.map((line) => line + lineEnd).join(""));
  const target = value("-o");
  if (target === undefined) return { stdout: bytes };
  world.tree.write(at(world, target), new Uint8Array(bytes));
  return { stdout: "" };
}

function contentOrFail(world: GnuWorld, name: string): Uint8Array {
  try {
    return contentOf(world, name);
  } catch (error) {
    if (!(error instanceof GnuError)) throw error;
    throw new GnuError(
      error.message.endsWith("Is a directory")
        ? `read failed: ${error.message}`
        : `cannot read: ${error.message}`,
    );
  }
}

function linesIn(content: Uint8Array, end: string): string[] {
  const text = latin1(content);
  if (text === "") return [];
  return (text.endsWith(end) ? text.slice(0, -1) : text).split(end);
}

type Compare = (a: string, b: string) => number;

/** By the keys alone, and with the whole line as the last resort. */
function orderOf({ given, has, value, all }: Options): { readonly keys: Compare; readonly whole: Compare } {
  const separator = value("-t");
  if (separator !== undefined && separator !== "\\0" && bytesOf(separator).length !== 1)
    throw new GnuError(`multi-character tab '${separator}'`);
  const global: Ordering = orderingOf(given.map(([flag]) => flag.slice(1)).join(""));
  const found: SortKey[] = all("-k").map((text) => keyOf(text, global));
  const keys: Compare = (a, b) => {
    if (found.length === 0) return compared(a, b, global);
    for (const key of found) {
      const order = compared(key.part(a, separator), key.part(b, separator), key.ordering);
      if (order !== 0) return order;
    }
    return 0;
  };
  const sign = has("-r") ? -1 : 1;
  return { keys, whole: (a, b) => keys(a, b) || sign * (a < b ? -1 : a > b ? 1 : 0) };
}
