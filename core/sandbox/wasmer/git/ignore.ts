import type { FolderNode } from "../tree/node.ts";

interface Rule {
  readonly pattern: RegExp;
  readonly negated: boolean;
  readonly onlyFolders: boolean;
}

/** What `.gitignore` files say of the names in a folder. */
export class Ignore {
  readonly #rules: readonly Rule[];

  private constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  /** With the rules of `.git/info/exclude`, if there are any. */
  static of(exclude: string): Ignore {
    return new Ignore(rulesOf(exclude, ""));
  }

  /** With those of the folder's own file, whose rules come before those of the folders above. */
  within(folder: FolderNode, prefix: string): Ignore {
    const file = folder.entries.get(".gitignore");
    if (file?.kind !== "file") return this;
    return new Ignore([...this.#rules, ...rulesOf(Buffer.from(file.content).toString(), prefix)]);
  }

  has(path: string, isFolder: boolean): boolean {
    const rule = this.#rules.findLast(
      ({ pattern, onlyFolders }) => (isFolder || !onlyFolders) && pattern.test(path),
    );
    return rule !== undefined && !rule.negated;
  }
}

function rulesOf(text: string, prefix: string): Rule[] {
  return text.split("\n").flatMap((line) => {
    const given = line.replace(/\r$/, "").replace(/(?<!\\)\s+$/, "");
    if (given === "" || given.startsWith("#")) return [];
    const negated = given.startsWith("!");
    let glob = negated || given.startsWith("\\#") || given.startsWith("\\!") ? given.slice(1) : given;
    const onlyFolders = glob.endsWith("/");
    if (onlyFolders) glob = glob.slice(0, -1);
    const isFixed = glob.includes("/");
    glob = glob.replace(/^\//, "");
    const pattern = RegExp(`^${escaped(prefix)}${isFixed ? "" : "(?:.*/)?"}${globPattern(glob, true)}$`, "s");
    return [{ pattern, negated, onlyFolders }];
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** A shell pattern as a regular expression. @param inFolder whether `*` stops at a slash */
export function globPattern(glob: string, inFolder: boolean): string {
  const any = inFolder ? "[^/]" : ".";
  let result = "";
  for (let at = 0; at < glob.length; at++) {
    const letter = glob[at]!;
    if (inFolder && glob.startsWith("**/", at) && (at === 0 || glob[at - 1] === "/")) {
      result += "(?:.*/)?";
      at += 2;
    } else if (inFolder && glob.slice(at) === "**" && glob[at - 1] === "/") {
      result += ".+";
      at++;
    } else if (letter === "*") {
      while (glob[at + 1] === "*") at++;
      result += `${any}*`;
    } else if (letter === "?") result += any;
    else if (letter === "[") {
      const end = glob.indexOf("]", at + 2);
      if (end === -1) result += "\\[";
      else {
        const inside = glob
          .slice(at + 1, end)
          .replaceAll("\\", "\\\\")
          .replace(/^!/, "^");
        result += `[${inside}]`;
        at = end;
      }
    } else if (letter === "\\" && at + 1 < glob.length) result += escaped(glob[++at]!);
    else result += escaped(letter);
  }
  return result;
}
