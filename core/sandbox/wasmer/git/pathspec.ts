import { joined } from "../tree/path.ts";
import { type GitCall, GitError } from "./call.ts";
import { globPattern } from "./ignore.ts";

interface Spec {
  readonly text: string;
  readonly matches: (path: string) => boolean;
}

/** The paths that a command is given: folders, files, patterns, `:!` with what is left out, `:/` from the top. */
export class Pathspec {
  readonly #wanted: readonly Spec[];
  readonly #unwanted: readonly Spec[];

  /** @param paths as given, from the folder that git runs in */
  constructor(git: GitCall, paths: readonly string[]) {
    const specs = paths.map((path) => specOf(git, path));
    this.#wanted = specs.filter(({ isOut }) => !isOut);
    this.#unwanted = specs.filter(({ isOut }) => isOut);
  }

  get isEmpty(): boolean {
    return this.#wanted.length === 0 && this.#unwanted.length === 0;
  }

  /** Whether a path from the top of the repository is meant; all are if none was given. */
  has(path: string): boolean {
    const isIn = this.#wanted.length === 0 || this.#wanted.some(({ matches }) => matches(path));
    return isIn && !this.#unwanted.some(({ matches }) => matches(path));
  }

  /** The first that none of the paths is meant by. */
  unmatched(paths: readonly string[]): string | undefined {
    return this.#wanted.find(({ matches }) => !paths.some(matches))?.text;
  }
}

function specOf(git: GitCall, text: string): Spec & { readonly isOut: boolean } {
  const magic = /^:(?:\(([a-z,]*)\)|([!^/]+):?)/.exec(text);
  const words = magic?.[1]?.split(",") ?? [];
  const isOut = words.includes("exclude") || /[!^]/.test(magic?.[2] ?? "");
  const isTop = words.includes("top") || (magic?.[2] ?? "").includes("/");
  const rest = magic ? text.slice(magic[0].length) : text;
  const path = fromTop(git, rest, isTop ? git.repo.root : git.cwd);
  const glob =
    /[*?[]/.test(path) && !words.includes("literal")
      ? RegExp(`^${globPattern(path, words.includes("glob"))}(/|$)`, "s")
      : undefined;
  const matches = (given: string): boolean =>
    path === "" || given === path || given.startsWith(`${path}/`) || glob?.test(given) === true;
  return { text, isOut, matches };
}

/** A path from the top of the repository, the top itself being "". @throws {GitError} if it is outside. */
export function fromTop(git: GitCall, path: string, folder: string = git.cwd): string {
  const { root } = git.repo;
  const absolute = joined(folder, path);
  if (absolute === root || root === "/") return root === "/" ? absolute.slice(1) : "";
  if (!absolute.startsWith(`${root}/`)) {
    throw new GitError(`fatal: ${path}: '${path}' is outside repository at '${root}'`);
  }
  return absolute.slice(root.length + 1);
}

/** A path from the top, as seen from the folder that git runs in. */
export function fromHere({ prefix }: GitCall, path: string): string {
  if (prefix === "" || path.startsWith(prefix)) return path.slice(prefix.length) || "./";
  const here = prefix.split("/").slice(0, -1);
  const there = path.split("/");
  let common = 0;
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common++;
  return "../".repeat(here.length - common) + there.slice(common).join("/");
}
