import { Fault } from "../tree/fault.ts";
import { joined } from "../tree/path.ts";
import { type GnuEnd, GnuError, type GnuWorld, reasonOf } from "./call.ts";
import { parseOptions } from "./options.ts";

/** `realpath`: `-e` all parts must be there, `-m` none, else all but the last; `-s` leaves links. */
export function realpath(args: readonly string[], world: GnuWorld): GnuEnd {
  const flags = {
    "-e": "none",
    "-m": "none",
    "-s": "none",
    "-q": "none",
    "-z": "none",
    "--relative-to": "value",
  } as const;
  const names = {
    "--canonicalize-existing": "-e",
    "--canonicalize-missing": "-m",
    "--strip": "-s",
    "--no-symlinks": "-s",
    "--quiet": "-q",
    "--zero": "-z",
  };
  const { words, has, value } = parseOptions(args, flags, names);
  if (words.length === 0) throw new GnuError("missing operand");
  const base = value("--relative-to");
  let [out, errors, exitCode] = ["", "", 0];
  for (const word of words) {
    try {
      const whole = has("-s") ? joined(world.cwd, word) : real(world, word, has("-e"), has("-m"));
      const path = base === undefined ? whole : relative(real(world, base, false, true), whole);
      out += path + (has("-z") ? "\0" : "\n");
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (!has("-q")) errors += `realpath: ${word}: ${reasonOf(error)}\n`;
      exitCode = 1;
    }
  }
  return { stdout: out, stderr: errors, exitCode };
}

function real(world: GnuWorld, word: string, mustExist: boolean, mayMiss: boolean): string {
  const { tree, cwd } = world;
  const path = word.startsWith("/") ? word : `${cwd}/${word}`;
  try {
    return tree.realPath(path);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "ENOENT" || mustExist) throw error;
    const whole = joined(cwd, word);
    const folder = joined(whole, "..");
    const last = whole.slice(whole.lastIndexOf("/") + 1);
    const parent = mayMiss && folder !== "/" ? real(world, folder, false, true) : tree.realPath(folder);
    return joined(parent, last);
  }
}

function relative(from: string, to: string): string {
  const [a, b] = [from.split("/").filter(Boolean), to.split("/").filter(Boolean)];
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/") || ".";
}
