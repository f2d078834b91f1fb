import { classOf } from "./bracket.ts";
import { GnuError } from "./call.ts";
import { literal } from "./regex.ts";

/** A pattern of file names, as `fnmatch` has it without flags: `*` is any text, slashes too. */
export function globOf(glob: string): (name: string) => boolean {
  let source = "";
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at]!;
    if (char === "*") source += "[^]*";
    else if (char === "?") source += "[^]";
    else if (char === "\\" && at + 1 < glob.length) source += literal(glob[++at]!);
    else if (char === "[") {
      const inner = glob.slice(at + 1).replace(/^!/, "^");
      try {
        const { source: brackets, length } = classOf(inner, false);
        source += brackets;
        at += length;
      } catch (error) {
        if (!(error instanceof GnuError)) throw error;
        source += "\\[";
      }
    } else source += literal(char);
  }
  const regex = new RegExp(`^${source}$`, "u");
  return (name) => regex.test(name);
}
