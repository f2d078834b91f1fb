import { GitError } from "./call.ts";

/** Whether a flag has a value: none, one behind it or in it, one in it only. */
export type Flags = Readonly<Record<string, "none" | "value" | "inline">>;

export interface Options {
  /** Flags by their names in the table, the last value of each. */
  readonly flags: ReadonlyMap<string, string>;
  /** All the values of a flag, in order. */
  readonly all: (flag: string) => string[];
  /** What is no flag, up to `--`. */
  readonly words: readonly string[];
  /** What stands behind `--`; undefined if there is none. */
  readonly paths: readonly string[] | undefined;
}

/**
 * Reads the arguments of a subcommand. A long flag may be cut to a beginning that no other has.
 *
 * @param flags by names such as `-m`, `--message`; a name of `-<n>` takes numbers such as `-3`
 * @throws {GitError} on a flag that is not in the table: nothing is left out without a word.
 */
export function parseOptions(command: string, args: readonly string[], flags: Flags): Options {
  const found: [string, string][] = [];
  const words: string[] = [];
  let paths: string[] | undefined;
  const rest = [...args];
  const value = (flag: string): string => {
    const next = rest.shift();
    if (next !== undefined) return next;
    throw new GitError(
      `error: ${flag.startsWith("--") ? `option \`${flag.slice(2)}'` : `switch \`${flag.slice(1)}'`} requires a value`,
      129,
    );
  };
  while (rest.length > 0) {
    const word = rest.shift()!;
    if (word === "--") paths = rest.splice(0);
    else if (word.startsWith("--")) {
      const [, name = word, inline] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      const full = longFlag(name, flags);
      const kind = full === undefined ? undefined : flags[full];
      if (full === undefined || (kind === "none" && inline !== undefined))
        throw unknown(command, `option \`${word.slice(2)}'`);
      found.push([full, inline ?? (kind === "value" ? value(full) : "")]);
    } else if (/^-\d+$/.test(word) && flags["-<n>"]) found.push(["-<n>", word.slice(1)]);
    else if (/^-./s.test(word)) {
      for (let at = 1; at < word.length; at++) {
        const flag = `-${word[at]}`;
        const kind = flags[flag];
        if (!kind) throw unknown(command, `switch \`${word[at]}'`);
        if (kind === "none") found.push([flag, ""]);
        else {
          const inline = word.slice(at + 1);
          found.push([flag, kind === "inline" || inline !== "" ? inline : value(flag)]);
          break;
        }
      }
    } else words.push(word);
  }
  const all = (flag: string): string[] => found.filter(([name]) => name === flag).map(([, given]) => given);
  return { flags: new Map(found), all, words, paths };
}

function longFlag(name: string, flags: Flags): string | undefined {
  if (flags[name]) return name;
  const fits = Object.keys(flags).filter((flag) => flag.startsWith("--") && flag.startsWith(name));
  return fits.length === 1 ? fits[0] : undefined;
}

function unknown(command: string, what: string): GitError {
  return new GitError(
    `error: unknown ${what}\nusage: git ${command}: this git of the sandbox does not have that option`,
    129,
  );
}
