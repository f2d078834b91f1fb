import { type GnuEnd, GnuError, type GnuWorld } from "./call.ts";
import { contentOf, sizeOf } from "./files.ts";
import { parseOptions } from "./options.ts";

/** `cmp`: 0 the same, 1 not, 2 trouble. */
export function cmp(args: readonly string[], world: GnuWorld): GnuEnd {
  const flags = { "-s": "none", "-l": "none", "-b": "none", "-n": "value" } as const;
  const names = {
    "--quiet": "-s",
    "--silent": "-s",
    "--verbose": "-l",
    "--print-bytes": "-b",
    "--bytes": "-n",
  };
  const { words, has, value } = parseOptions(args, flags, names);
  if (has("-b")) throw new GnuError("-b is not in the sandbox's cmp; use -l", 2);
  const [first, second = "-", ...more] = words;
  if (first === undefined) throw new GnuError("missing operand after 'cmp'");
  if (more.length > 0) throw new GnuError(`extra operand '${more[0]}'`);
  const limit = value("-n") === undefined ? Infinity : sizeOf(value("-n")!, "--bytes value");
  const [a, b] = [contentOf(world, first), contentOf(world, second)].map((bytes) =>
    bytes.subarray(0, limit),
  ) as [Uint8Array, Uint8Array];
  const shared = Math.min(a.length, b.length);
  const places: number[] = [];
  for (let place = 0; place < shared; place++) {
    if (a[place] === b[place]) continue;
    places.push(place);
    if (!has("-l")) break;
  }
  if (places.length === 0 && a.length === b.length) return { stdout: "" };
  if (has("-s")) return { stdout: "", exitCode: 1 };
  const [short] = a.length < b.length ? [first] : [second];
  const lineAt = (place: number): number => a.subarray(0, place).filter((byte) => byte === 10).length + 1;
  const octal = (byte: number): string => byte.toString(8).padStart(3);
  const width = String(Math.max(a.length, b.length)).length;
  const stdout = has("-l")
    ? places
        .map((place) => `${String(place + 1).padStart(width)} ${octal(a[place]!)} ${octal(b[place]!)}\n`)
        .join("")
    : places.map((place) => `${first} ${second} differ: byte ${place + 1}, line ${lineAt(place)}\n`).join("");
  const isCut = a.length !== b.length && (places.length === 0 || has("-l"));
  if (!isCut) return { stdout, exitCode: 1 };
  if (shared === 0) return { stdout, stderr: `cmp: EOF on ${short} which is empty\n`, exitCode: 1 };
  const endsLine = a[shared - 1] === 10;
  const where = has("-l") ? "" : endsLine ? `, line ${lineAt(shared) - 1}` : `, in line ${lineAt(shared)}`;
  return { stdout, stderr: `cmp: EOF on ${short} after byte ${shared}${where}\n`, exitCode: 1 };
}
