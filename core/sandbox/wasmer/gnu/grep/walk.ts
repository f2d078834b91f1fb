import type { FileTree } from "../../tree/file-tree.ts";
import { globOf } from "../glob.ts";
import type { Options } from "../options.ts";

/** Which names `--include`, `--exclude` and `--exclude-dir` let through. */
export class Names {
  readonly #rules: readonly { readonly isIncluded: boolean; readonly glob: (path: string) => boolean }[];
  readonly #folders: readonly ((path: string) => boolean)[];

  constructor({ given }: Options) {
    this.#rules = given.flatMap(([flag, value = ""]) =>
      flag === "--include" || flag === "--exclude"
        ? [{ isIncluded: flag === "--include", glob: globOf(value) }]
        : [],
    );
    this.#folders = given.flatMap(([flag, value = ""]) =>
      flag === "--exclude-dir" ? [globOf(value.replace(/\/+$/, ""))] : [],
    );
  }

  /** @param isGiven whether the name is one of the command's own words */
  takes(name: string, isFolder: boolean, isGiven = false): boolean {
    const path = name.replace(/\/+$/, "");
    const fits = (glob: (path: string) => boolean): boolean =>
      glob(path) ||
      (!isGiven && path.includes("/") && suffixes(path).some(glob)) ||
      glob(path.split("/").at(-1)!);
    if (isFolder) return !this.#folders.some(fits);
    const rule = this.#rules.findLast(({ glob }) => fits(glob));
    if (rule) return rule.isIncluded;
    return !this.#rules[0]?.isIncluded;
  }
}

function suffixes(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(index + 1));
}

/** The files in a folder and those in it, in the order of their names. Links are followed only if that is wanted. */
export function* filesBelow(
  tree: FileTree,
  folder: string,
  prefix: string,
  names: Names,
  followLinks: boolean,
): Generator<{ readonly name: string; readonly content: Uint8Array }> {
  for (const [entry, node] of [...tree.list(folder)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const name = prefix + entry;
    const path = `${folder.replace(/\/$/, "")}/${entry}`;
    const found = node.kind === "link" ? (followLinks ? tree.find(path) : undefined) : node;
    if (found?.kind === "folder") {
      if (names.takes(name, true)) yield* filesBelow(tree, path, `${name}/`, names, followLinks);
    } else if (found?.kind === "file" && names.takes(name, false)) yield { name, content: found.content };
  }
}
