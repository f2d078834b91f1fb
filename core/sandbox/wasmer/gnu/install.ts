import { joined } from "../tree/path.ts";
import { at, type GnuEnd, GnuError, type GnuWorld } from "./call.ts";
import { attempt, found } from "./files.ts";
import { parseOptions } from "./options.ts";

/** `install`: copies files, with a mode; `-d` makes folders. */
export function install(args: readonly string[], world: GnuWorld): GnuEnd {
  const flags = {
    "-d": "none",
    "-D": "none",
    "-m": "value",
    "-t": "value",
    "-T": "none",
    "-v": "none",
    "-p": "none",
    "-C": "none",
    "-c": "none",
  } as const;
  const names = {
    "--directory": "-d",
    "--mode": "-m",
    "--target-directory": "-t",
    "--verbose": "-v",
    "--no-target-directory": "-T",
  };
  const { words, has, value } = parseOptions(args, flags, names);
  const { tree } = world;
  const mode = value("-m") ?? "755";
  if (!/^[0-7]{1,4}$/.test(mode))
    throw new GnuError(`-m: expected an octal mode in the sandbox, got '${mode}'`);
  if (words.length === 0) throw new GnuError("missing file operand");
  if (has("-v")) throw new GnuError("-v is not in the sandbox's install");
  if (has("-d")) {
    for (const word of words) {
      attempt(word, () => tree.mkdirs(at(world, word)), "cannot create directory ");
      tree.chmod(at(world, word), Number.parseInt(mode, 8));
    }
    return { stdout: "" };
  }
  const into = value("-t");
  const sources = into === undefined ? words.slice(0, -1) : words;
  const target = into ?? words.at(-1)!;
  if (sources.length === 0) throw new GnuError(`missing destination file operand after '${target}'`);
  const path = at(world, target);
  const isFolder = found(world, target)?.kind === "folder" && !has("-T");
  if (!isFolder && (into !== undefined || sources.length > 1) && !has("-D"))
    throw new GnuError(`target '${target}': No such file or directory`);
  for (const source of sources) {
    const content = attempt(source, () => tree.read(at(world, source)), "cannot stat ");
    const name = source.slice(source.replace(/\/+$/, "").lastIndexOf("/") + 1);
    const to = isFolder || into !== undefined ? joined(path, name) : path;
    if (has("-D")) tree.mkdirs(joined(to, ".."));
    attempt(target, () => tree.write(to, content), "cannot create regular file ");
    tree.chmod(to, Number.parseInt(mode, 8));
  }
  return { stdout: "" };
}
