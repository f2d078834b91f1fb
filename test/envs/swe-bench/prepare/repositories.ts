import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const ENV = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

let seconds = 1_600_000_000;

/** Runs the host's git; each call is an hour later than the one before. */
export function git(folder: string, ...args: string[]): string {
  seconds += 3600;
  const date = `${seconds} +0000`;
  const env = { ...ENV, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  return execFileSync("git", args, { cwd: folder, env, encoding: "utf8", stdio: "pipe" }).trim();
}

/** A fresh folder that is gone when the test is over. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "forkgym-prepare-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Writes files and commits them with all else that is there. */
export function commit(folder: string, files: Readonly<Record<string, string | Buffer>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "--allow-empty", "-m", `change ${Object.keys(files).join(" ")}`);
  return git(folder, "rev-parse", "HEAD");
}

export interface Rich {
  readonly folder: string;
  /** The commit to prepare, and the one before it. */
  readonly base: string;
  readonly past: string;
  /** What nobody may read: every object that cannot be reached from the base, by id. */
  readonly future: readonly string[];
  /** What hostile settings would have made. */
  readonly marker: string;
}

export const CONTENT: Readonly<Record<string, string | Buffer>> = {
  main: "a file with the name of the branch\n",
  "dos.txt": "one\r\ntwo\r\n",
  "image.bin": Buffer.from([0, 255, 13, 10, 0, 10]),
  "no newline": "end",
  "with spaces/größe 东京.py": "x = 1\n",
  "src/app.py": "def add(a, b):\n    return a - b\n",
  "tests/test_app.py": "old test\n",
  ".gitattributes": "*.py filter=evil\n*.bin filter=lfs\n",
  [`deep/${"long name/".repeat(12)}leaf.txt`]: "leaf\n",
};

/** A repository with all that may give away the future, and with settings that run programs. */
export function richRepository(parent: string): Rich {
  const folder = join(parent, "source");
  const marker = join(parent, "marker");
  mkdirSync(folder);
  git(folder, "init", "-q", "-b", "trunk", "--template=");
  const past = commit(folder, { "src/app.py": "def add(a, b):\n    return None\n" });
  git(folder, "tag", "v1");
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/run"), "#!/bin/sh\necho run\n");
  chmodSync(join(folder, "bin/run"), 0o755);
  symlinkSync("src/app.py", join(folder, "app link"));
  symlinkSync("/etc/hostname", join(folder, "out link"));
  git(folder, "update-index", "--add", "--cacheinfo", `160000,${past},vendor/module`);
  writeFileSync(join(folder, ".gitmodules"), '[submodule "m"]\n\tpath = vendor/module\n\turl = ../nowhere\n');
  mkdirSync(join(folder, "vendor/module"), { recursive: true });
  const base = commit(folder, CONTENT);

  const known = reachable(folder, base);
  commit(folder, { "src/app.py": "def add(a, b):\n    return a + b\n", "tests/test_new.py": "new test\n" });
  git(folder, "tag", "v2");
  git(folder, "tag", "-a", "-m", "a note on the base", "late", base);
  git(folder, "notes", "add", "-m", "the answer is +", base);
  git(folder, "checkout", "-q", "-b", "feature", base);
  commit(folder, { "feature.py": "feature\n" });
  git(folder, "pack-refs", "--all");
  git(folder, "checkout", "-q", "-b", "second", base);
  commit(folder, { "second.py": "second\n" });
  git(folder, "worktree", "add", "-q", join(parent, "elsewhere"), "feature");
  commit(join(parent, "elsewhere"), { "worktree.py": "worktree\n" });
  writeFileSync(join(folder, "src/app.py"), "stashed\n");
  git(folder, "stash");
  commit(folder, { "lost.py": "only in the reflog\n" });
  git(folder, "reset", "-q", "--hard", "HEAD~1");
  git(folder, "update-ref", "refs/replace/0123456789012345678901234567890123456789", "HEAD");
  git(folder, "replace", past, git(folder, "rev-parse", "v2"));
  git(folder, "checkout", "-q", base);
  const all = git(folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split("\n");

  mkdirSync(join(folder, ".git/hooks"));
  for (const hook of [
    "post-checkout",
    "reference-transaction",
    "post-index-change",
    "pre-auto-gc",
    "post-merge",
  ]) {
    writeFileSync(join(folder, ".git/hooks", hook), `#!/bin/sh\necho ${hook} >> '${marker}'\n`, {
      mode: 0o755,
    });
  }
  const program = join(parent, "evil");
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n`, { mode: 0o755 });
  for (const [key, value] of Object.entries({
    "core.fsmonitor": program,
    "core.sshCommand": program,
    "core.alternateRefsCommand": program,
    "filter.evil.smudge": program,
    "filter.evil.clean": program,
    "uploadpack.packObjectsHook": program,
    "credential.helper": program,
  })) {
    git(folder, "config", key, value);
  }
  return { folder, base, past, future: all.filter((id) => !known.has(id)), marker };
}

/** Ids of all objects that a commit leads to. */
export function reachable(folder: string, commit: string): ReadonlySet<string> {
  const lines = git(folder, "--no-replace-objects", "rev-list", "--objects", commit).split("\n");
  return new Set(lines.map((line) => line.slice(0, 40)));
}

/** Names below a folder that are files or links, sorted. */
export async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

export function textIn(folder: string, name: string): Promise<string> {
  return readFile(join(folder, name), "utf8");
}
