import { at, type GnuEnd, GnuError, type GnuWorld } from "./call.ts";
import { attempt, contentOf, found, sizeOf } from "./files.ts";
import { parseOptions } from "./options.ts";

/** `truncate -s SIZE FILE...`; a size may be relative: `+`, `-`, `<`, `>`, `/`, `%`. */
export function truncate(args: readonly string[], world: GnuWorld): GnuEnd {
  const flags = { "-s": "value", "-c": "none", "-r": "value" } as const;
  const { words, has, value } = parseOptions(args, flags, {
    "--size": "-s",
    "--no-create": "-c",
    "--reference": "-r",
  });
  const [, sign = "", size] = /^([-+<>/%]?)(.*)$/s.exec(value("-s") ?? "") ?? [];
  const reference = value("-r");
  if (value("-s") === undefined && reference === undefined)
    throw new GnuError("you must specify either '--size' or '--reference'");
  if (words.length === 0) throw new GnuError("missing file operand");
  const given = reference === undefined ? sizeOf(size!, "number") : contentOf(world, reference).length;
  for (const word of words) {
    const path = at(world, word);
    const old = found(world, word);
    if (!old && has("-c")) continue;
    const content = old ? attempt(word, () => world.tree.read(path), "cannot open ") : new Uint8Array();
    const { length } = content;
    const sizes: Readonly<Record<string, number>> = {
      "": given,
      "+": length + given,
      "-": Math.max(0, length - given),
      "<": Math.min(length, given),
      ">": Math.max(length, given),
      "/": Math.floor(length / given) * given,
      "%": Math.ceil(length / given) * given,
    };
    const bytes = new Uint8Array(sizes[sign]!);
    bytes.set(content.subarray(0, bytes.length));
    attempt(word, () => world.tree.write(path, bytes), "cannot open ");
  }
  return { stdout: "" };
}
