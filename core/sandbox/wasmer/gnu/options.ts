import { GnuError } from "./call.ts";

/** Of each flag: whether it takes a value, from the next word or in its own; `maybe` is in its own word only. */
export type Flags = Readonly<Record<string, "none" | "value" | "maybe">>;

export interface Options {
  /** In the order given, each under the name that stands first for it in the table. */
  readonly given: readonly (readonly [flag: string, value: string | undefined])[];
  readonly words: readonly string[];
  readonly has: (...flags: readonly string[]) => boolean;
  /** The last value given. */
  readonly value: (flag: string) => string | undefined;
  readonly all: (flag: string) => string[];
}

/**
 * Reads a command's words as GNU's `getopt_long` does: flags and operands in any order, short flags together, long
 * ones cut to a beginning that no other has.
 *
 * @param names long names of short flags, such as `{ "--all": "-a" }`
 * @throws {GnuError} on a flag that is not in the table: nothing is left out without a word
 */
export function parseOptions(
  args: readonly string[],
  flags: Flags,
  names: Readonly<Record<string, string>> = {},
): Options {
  const given: [string, string | undefined][] = [];
  const words: string[] = [];
  const rest = [...args];
  while (rest.length > 0) {
    const word = rest.shift()!;
    if (word === "--") words.push(...rest.splice(0));
    else if (word.startsWith("--")) {
      const [, name = word, inline] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      const flag = longFlag(name, flags, names);
      const kind = flag === undefined ? undefined : flags[flag];
      if (flag === undefined || kind === undefined) throw new GnuError(`unrecognized option '${name}'`);
      if (kind === "none" && inline !== undefined)
        throw new GnuError(`option '${name}' doesn't allow an argument`);
      if (kind === "value" && inline === undefined && rest.length === 0)
        throw new GnuError(`option '${name}' requires an argument`);
      given.push([flag, inline ?? (kind === "value" ? rest.shift() : undefined)]);
    } else if (/^-./s.test(word)) {
      const letters = word.slice(1);
      for (let index = 0; index < letters.length; index++) {
        const flag = `-${letters[index]}`;
        const kind = flags[flag];
        if (kind === undefined) throw new GnuError(`invalid option -- '${letters[index]}'`);
        const inline = letters.slice(index + 1);
        if (kind === "none") given.push([flag, undefined]);
        else {
          if (kind === "value" && inline === "" && rest.length === 0)
            throw new GnuError(`option requires an argument -- '${letters[index]}'`);
          given.push([flag, inline !== "" ? inline : kind === "value" ? rest.shift() : undefined]);
          break;
        }
      }
    } else words.push(word);
  }
  const all = (flag: string): string[] =>
    given.flatMap(([name, value]) => (name === flag && value !== undefined ? [value] : []));
  return {
    given,
    words,
    has: (...wanted) => given.some(([name]) => wanted.includes(name)),
    value: (flag) => all(flag).at(-1),
    all,
  };
}

function longFlag(name: string, flags: Flags, names: Readonly<Record<string, string>>): string | undefined {
  if (Object.hasOwn(names, name)) return names[name];
  if (Object.hasOwn(flags, name)) return name;
  const fits = [...Object.keys(names), ...Object.keys(flags)].filter(
    (flag) => flag.startsWith("--") && flag.startsWith(name),
  );
  const meant = new Set(fits.map((flag) => names[flag] ?? flag));
  return meant.size === 1 ? [...meant][0] : undefined;
}
