import type { FileTree } from "../tree/file-tree.ts";
import { joined } from "../tree/path.ts";
import { Repository } from "./repository.ts";

/** Ends a command with git's own words and exit code. */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly exitCode: number;

  /** @param text what git writes to stderr, without the last line end */
  constructor(text: string, exitCode = 128) {
    super(text);
    this.exitCode = exitCode;
  }
}

export interface GitWorld {
  readonly tree: FileTree;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
}

/** One run of git: what it is given, and what it writes. */
export class GitCall implements GitWorld {
  readonly tree: FileTree;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  /** Settings given by `-c`. */
  readonly settings: [string, string][] = [];
  cwd: string;
  readonly #out: Buffer[] = [];
  #err = "";
  #repository: Repository | undefined;

  constructor({ tree, cwd, env, stdin }: GitWorld) {
    this.tree = tree;
    this.cwd = cwd;
    this.env = env;
    this.stdin = stdin;
  }

  out(text: string | Uint8Array): void {
    this.#out.push(Buffer.from(text as Uint8Array));
  }

  line(text: string): void {
    this.out(`${text}\n`);
  }

  err(line: string): void {
    // As git has it: no letter that moves a cursor gets into its complaints.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant.
    const safe = /^(error|fatal|warning):/.test(line) ? line.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "?") : line;
    this.#err += `${safe}\n`;
  }

  get written(): { readonly stdout: Buffer; readonly stderr: string } {
    return { stdout: Buffer.concat(this.#out), stderr: this.#err };
  }

  /** @throws {GitError} if there is none at or above the folder that git runs in. */
  get repo(): Repository {
    this.#repository ??= Repository.find(this.tree, this.cwd);
    if (!this.#repository) {
      throw new GitError("fatal: not a git repository (or any of the parent directories): .git");
    }
    return this.#repository;
  }

  get hasRepo(): boolean {
    return Repository.find(this.tree, this.cwd) !== undefined;
  }

  /** The folder that git runs in, from the top of the repository on: empty or with a slash at its end. */
  get prefix(): string {
    const inside = joined("/", this.cwd).slice(this.repo.root === "/" ? 1 : this.repo.root.length + 1);
    return inside === "" ? "" : `${inside}/`;
  }

  /** Global settings, overlaid by the repository's, overlaid by those of `-c`. */
  setting(name: string): string | undefined {
    const own = this.settings.findLast(([key]) => key === name);
    if (own) return own[1];
    const local = this.hasRepo ? this.repo.config.all().findLast(([key]) => key === name) : undefined;
    return (local ?? this.globalConfig.all().findLast(([key]) => key === name))?.[1];
  }

  isSet(name: string, otherwise: boolean): boolean {
    const value = this.setting(name)?.toLowerCase();
    return value === undefined ? otherwise : !["false", "no", "off", "0", ""].includes(value);
  }

  get globalConfig(): Repository["config"] {
    return Repository.configAt(
      this.tree,
      this.env.GIT_CONFIG_GLOBAL ?? `${this.env.HOME ?? "/root"}/.gitconfig`,
    );
  }
}
