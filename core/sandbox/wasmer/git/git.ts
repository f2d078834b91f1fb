import { Fault } from "../tree/fault.ts";
import { joined } from "../tree/path.ts";
import { GitCall, GitError, type GitWorld } from "./call.ts";
import { add } from "./commands/add.ts";
import { applyPatch } from "./commands/apply.ts";
import { checkout, switchBranch } from "./commands/checkout.ts";
import { commit } from "./commands/commit.ts";
import { config } from "./commands/config.ts";
import { diff } from "./commands/diff.ts";
import { clean, lsFiles, mv, rm } from "./commands/files.ts";
import { init } from "./commands/init.ts";
import { gc, reflog, remote } from "./commands/keeping.ts";
import { log, revList } from "./commands/log.ts";
import { branch, forEachRef, showRef, symbolicRef, tag, updateRef } from "./commands/refs.ts";
import { reset, restore } from "./commands/restore.ts";
import { mergeBase, revParse } from "./commands/rev-parse.ts";
import { catFile, lsTree, show } from "./commands/show.ts";
import { stash } from "./commands/stash.ts";
import { status } from "./commands/status.ts";
import { settingName } from "./config.ts";

/** Whose words and ids this git has. */
const VERSION = "2.39.5";

const COMMANDS: Readonly<Record<string, (git: GitCall, args: readonly string[]) => number>> = {
  add,
  apply: applyPatch,
  branch,
  "cat-file": catFile,
  checkout,
  clean,
  commit,
  config,
  diff,
  "for-each-ref": forEachRef,
  gc,
  init,
  log,
  "ls-files": lsFiles,
  "ls-tree": lsTree,
  "merge-base": mergeBase,
  mv,
  reflog,
  remote,
  reset,
  restore,
  "rev-list": revList,
  "rev-parse": revParse,
  rm,
  show,
  "show-ref": showRef,
  stage: add,
  stash,
  status,
  switch: switchBranch,
  "symbolic-ref": symbolicRef,
  tag,
  "update-ref": updateRef,
};

/** Those that real git has and this one has not: most need a network. */
const ABSENT =
  /^(clone|fetch|pull|push|ls-remote|submodule|merge|rebase|cherry-pick|revert|bisect|blame|annotate|grep|worktree|am|format-patch|notes|describe|shortlog|archive|bundle|fsck|hash-object|write-tree|commit-tree|read-tree|update-index|diff-index|diff-tree|diff-files|help)$/;

export interface GitEnd {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs git over a sandbox's files. See docs/sandboxes-wasmer.md for what it is and is not. */
export function git(args: readonly string[], world: GitWorld): GitEnd {
  const call = new GitCall(world);
  try {
    const exitCode = run(call, [...args]);
    return { ...call.written, exitCode };
  } catch (error) {
    if (error instanceof GitError) call.err(error.message);
    else if (error instanceof Fault) call.err(`fatal: ${error.message}`);
    else throw error;
    return { ...call.written, exitCode: error instanceof GitError ? error.exitCode : 128 };
  }
}

function run(call: GitCall, args: string[]): number {
  for (let word = args.shift(); word !== undefined; word = args.shift()) {
    if (word === "-c") {
      const [, name = "", value = "true"] = /^([^=]+)(?:=(.*))?$/s.exec(args.shift() ?? "") ?? [];
      if (!name.includes("."))
        throw new GitError(
          `error: key does not contain a section: ${name}\nfatal: unable to parse command-line config`,
        );
      call.settings.push([settingName(name), value]);
    } else if (word === "-C") {
      const folder = args.shift() ?? "";
      if (call.tree.find(joined(call.cwd, folder))?.kind !== "folder") {
        throw new GitError(`fatal: cannot change to '${folder}': No such file or directory`);
      }
      call.cwd = joined(call.cwd, folder);
    } else if (
      ["-P", "--no-pager", "-p", "--paginate", "--no-optional-locks", "--literal-pathspecs"].includes(word)
    )
      continue;
    else if (word === "--version" || word === "version" || word === "-v") {
      call.line(`git version ${VERSION} (forkgym)`);
      return 0;
    } else if (word.startsWith("-"))
      throw new GitError(
        `unknown option: ${word}\nusage: git [-C <path>] [-c <name>=<value>] <command> [<args>]`,
        129,
      );
    else return command(call, word, args);
  }
  call.out(
    `usage: git [-C <path>] [-c <name>=<value>] <command> [<args>]\n\nThe commands of this git of the sandbox: ${Object.keys(COMMANDS).join(" ")}\n`,
  );
  return 1;
}

function command(call: GitCall, name: string, args: readonly string[]): number {
  const known = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!known) {
    throw new GitError(
      ABSENT.test(name)
        ? `git: this git of the sandbox does not have '${name}'.`
        : `git: '${name}' is not a git command. See 'git --help'.`,
      1,
    );
  }
  return known(call, args);
}
