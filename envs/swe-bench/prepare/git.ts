import { type SimpleGit, simpleGit } from "simple-git";
import { InputError } from "../../../core/errors.ts";

/** `GIT_CONFIG_GLOBAL`, by which a user's own settings are kept out of a workspace, came with 2.32. */
const OLDEST = [2, 32] as const;

/** Settings that no repository and no user may change: nothing of the outside is run, nothing is done behind our back. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.logAllRefUpdates=false",
  "core.attributesFile=/dev/null",
  "core.autocrlf=false",
  "fetch.recurseSubmodules=false",
  "fetch.writeCommitGraph=false",
  // One pack, and not thousands of small files.
  "fetch.unpackLimit=1",
  // Old repositories have commits that a strict check refuses: time zones that do not exist, for one.
  "fetch.fsckObjects=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.version=2",
  "safe.bareRepository=all",
  "submodule.recurse=false",
];

const VARIABLES: Readonly<Record<string, string>> = {
  GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
  GIT_ATTR_NOSYSTEM: "1",
  // Names of files are names, also those with * and : in them.
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  // Our reading of git's words is of the English ones.
  LC_ALL: "C",
};

const DEAF: Readonly<Record<string, string>> = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

export interface GitOptions {
  /** Kills the command that runs. */
  readonly signal?: AbortSignal | undefined;
  /** Listen to the user's own settings, for proxies, certificates and credentials. @default false */
  readonly userConfig?: boolean;
  /** For the command to read. @default nothing */
  readonly input?: string;
}

/**
 * Git in a folder, safe with repositories that nobody vouches for: no hooks, no file system monitor, no filters, no
 * submodules, no transport that runs a program of its own, no questions.
 */
export function gitIn(folder: string, { signal, userConfig = false, input }: GitOptions = {}): SimpleGit {
  const own = userConfig ? VARIABLES : { ...VARIABLES, ...DEAF };
  return simpleGit({
    baseDir: folder,
    config: SETTINGS,
    ...(signal && { abort: signal }),
    ...(input !== undefined && { input: () => input }),
    allowEnvironment: Object.keys(own),
    unsafe: {
      allowUnsafeConfigPaths: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeHooksPath: true,
      allowUnsafeTemplateDir: true,
    },
    // Simple-git takes a failure without a word on standard error for a success.
    errors: (error, { exitCode, stdErr, stdOut }) =>
      error ?? (exitCode === 0 ? undefined : Buffer.concat([...stdErr, ...stdOut, Buffer.from(" ")])),
  }).env({ ...inherited(), ...own });
}

/** What every child process inherits (the way to programs, home, proxies), less what would steer git. */
function inherited(): Record<string, string | undefined> {
  const steering = /^(GIT_.*|EDITOR|VISUAL|PAGER|PREFIX|SSH_ASKPASS|LC_ALL|LANGUAGE)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !steering.test(name)));
}

/** @throws {InputError} if git is missing or too old. */
export async function checkGit(folder: string): Promise<void> {
  const { installed, major, minor } = await gitIn(folder).version();
  const needed = OLDEST.join(".");
  if (!installed) throw new InputError(`prepare: git is not installed; install git ${needed} or newer`);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new InputError(
      `prepare: expected git ${needed} or newer, got ${major}.${minor}; install a newer one`,
    );
  }
}

/** What git said, in one line and without credentials. */
export function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => /^(fatal|error|remote):/.test(line) && !/^remote:\s*$/.test(line));
  return withoutCredentials((said.length > 0 ? said : lines.filter((line) => line !== "")).join("; "));
}

export function withoutCredentials(text: string): string {
  return text.replaceAll(/(\w:\/\/)[^/@\s]+@/g, "$1");
}
