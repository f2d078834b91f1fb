import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Files } from "./trees.ts";

/** Names, dates and settings that do not depend on who runs the tests. */
export const ENV = {
  GIT_AUTHOR_NAME: "A Uthor",
  GIT_AUTHOR_EMAIL: "author@example.com",
  GIT_AUTHOR_DATE: "2024-01-02T03:04:05+0100",
  GIT_COMMITTER_NAME: "Com Mitter",
  GIT_COMMITTER_EMAIL: "committer@example.com",
  GIT_COMMITTER_DATE: "2024-01-02T03:04:06Z",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** Why real git cannot be asked, or "". */
export const noGit: string =
  spawnSync("git", ["--version"]).status === 0 ? "" : "there is no git on this machine";

/** Runs the machine's git. */
export function hostGit(
  folder: string,
  args: readonly string[],
  input?: Uint8Array,
): { readonly stdout: Buffer; readonly stderr: string; readonly exitCode: number | null } {
  const env = {
    ...ENV,
    PATH: process.env.PATH,
    HOME: dirname(folder),
    GIT_CEILING_DIRECTORIES: dirname(folder),
  };
  const { stdout, stderr, status } = spawnSync("git", args, { cwd: folder, env, input: input ?? "" });
  return { stdout, stderr: stderr.toString(), exitCode: status };
}

/** Makes a folder hold these files and no others but `.git`. */
export function writeHost(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder))
    if (name !== ".git") rmSync(join(folder, name), { recursive: true });
  for (const [path, { content, mode }] of files) {
    const full = join(folder, path);
    mkdirSync(dirname(full), { recursive: true });
    if (mode === "link") symlinkSync(Buffer.from(content), full);
    else {
      writeFileSync(full, content);
      chmodSync(full, mode === "program" ? 0o755 : 0o644);
    }
  }
}

export function readHost(folder: string): Files {
  const files: Files = new Map();
  const visit = (prefix: string): void => {
    for (const name of readdirSync(join(folder, prefix)).sort()) {
      const path = prefix + name;
      const full = join(folder, path);
      const stat = lstatSync(full);
      if (path === ".git") continue;
      if (stat.isDirectory()) visit(`${path}/`);
      else if (stat.isSymbolicLink())
        files.set(path, { content: Buffer.from(readlinkSync(full)), mode: "link" });
      else files.set(path, { content: readFileSync(full), mode: stat.mode & 0o100 ? "program" : "file" });
    }
  };
  visit("");
  return files;
}
