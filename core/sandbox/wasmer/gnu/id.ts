import { type GnuEnd, GnuError } from "./call.ts";
import { parseOptions } from "./options.ts";

/** `id`: there is one user. */
export function id(args: readonly string[]): GnuEnd {
  const flags = { "-u": "none", "-g": "none", "-G": "none", "-n": "none", "-r": "none" } as const;
  const names = { "--user": "-u", "--group": "-g", "--groups": "-G", "--name": "-n", "--real": "-r" };
  const { words, has } = parseOptions(args, flags, names);
  if (words.length > 0 && words[0] !== "user") throw new GnuError(`'${words[0]}': no such user`);
  if (has("-u", "-g", "-G")) return { stdout: has("-n") ? "user\n" : "1000\n" };
  if (has("-n", "-r")) throw new GnuError("printing only names or real IDs requires -u, -g, or -G");
  return { stdout: "uid=1000(user) gid=1000(user) groups=1000(user)\n" };
}
