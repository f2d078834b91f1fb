import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../../../core/errors.ts";
import { withoutCredentials } from "./git.ts";

/** Where a repository is. */
export interface Source {
  /** For git: an address, or an absolute path. */
  readonly address: string;
  /** For people and files: without credentials. */
  readonly shown: string;
  /** Whether it is a mirror of ours: its settings are known. */
  readonly isMirror: boolean;
}

/** @throws {InputError} if it is neither an address that is fetched from nor a folder. */
export function sourceOf(repo: string): Source {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(repo) ?? [];
  if (scheme !== undefined && !["file", "git", "http", "https", "ssh"].includes(scheme.toLowerCase())) {
    throw new InputError(
      `prepare: expected an address with https, http, ssh, git or file, got "${scheme}://"`,
    );
  }
  const isAddress = scheme !== undefined || /^[\w.][\w.-]*@[\w.][\w.-]*:(?!:)/.test(repo);
  if (isAddress) return { address: repo, shown: withoutCredentials(repo), isMirror: false };
  const path = resolve(repo);
  if (existsSync(path)) return { address: path, shown: path, isMirror: false };
  throw new InputError(
    `prepare: no repository at ${repo}: there is no such folder; give a folder or an address`,
  );
}
