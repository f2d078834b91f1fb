import { joined } from "../tree/path.ts";

/** Options whose value is the next word. */
const WITH_VALUE = new Set(["-W", "-X", "--check-hash-based-pycs"]);

/** Under WASI the input looks like a terminal, and a Python at a terminal prompts. */
const READ_INPUT = "exec(compile(__import__('sys').stdin.read(), '<stdin>', 'exec'))";

/**
 * The arguments of a Python that starts at `/`, whatever its folder: the script's path is made absolute, and a
 * program that comes by stdin is read from there.
 */
export function pythonArgs(args: readonly string[], cwd: string): string[] {
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at]!;
    if (!word.startsWith("-") || word === "-") break;
    if (/^-[A-Za-z]*[cm]/.test(word) || /^-([hV?]|-help|-version)/.test(word)) return [...args];
    if (word === "-i") return [...args];
    if (WITH_VALUE.has(word)) at++;
  }
  const [script, ...rest] = args.slice(at);
  const options = args.slice(0, at);
  if (script === undefined || script === "-") return [...options, "-c", READ_INPUT, ...rest];
  return [...options, joined(cwd, script), ...rest];
}
