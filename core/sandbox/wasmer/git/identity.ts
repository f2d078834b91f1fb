import { type GitCall, GitError } from "./call.ts";
import type { Person } from "./commit.ts";
import { parseTime } from "./dates.ts";

/**
 * Who a commit is by, from GIT_AUTHOR_NAME and so on or `user.name`. Without GIT_AUTHOR_DATE the time is that of the
 * sandbox's files, which does not come from a clock.
 */
export function person(
  git: GitCall,
  role: "author" | "committer",
  given?: { date?: string | undefined; author?: string | undefined },
): Person {
  const { env, tree } = git;
  const word = role.toUpperCase();
  const named = /^(.*?)\s*<([^>]*)>$/s.exec(given?.author ?? "");
  const name =
    named?.[1] ?? env[`GIT_${word}_NAME`] ?? git.setting(`${role}.name`) ?? git.setting("user.name");
  const email =
    named?.[2] ??
    env[`GIT_${word}_EMAIL`] ??
    git.setting(`${role}.email`) ??
    git.setting("user.email") ??
    env.EMAIL;
  if (name === undefined || email === undefined)
    throw unknownPerson(role, email === undefined ? "email" : "name");
  const nowSeconds = Math.floor(tree.nowMs / 1000);
  const date = given?.date ?? env[`GIT_${word}_DATE`];
  const time = date === undefined ? { seconds: nowSeconds, zone: 0 } : parseTime(date, nowSeconds);
  if (!time) throw new GitError(`fatal: invalid date format: ${date}`);
  return { name: clean(name), email: clean(email), ...time };
}

function clean(text: string): string {
  return text.replace(/[<>\n]/g, "").replace(/^[\s.,:;"\\']+|[\s.,:;"\\']+$/g, "");
}

function unknownPerson(role: string, what: "email" | "name"): GitError {
  const who = role === "author" ? "Author" : "Committer";
  const last =
    what === "email"
      ? "fatal: unable to auto-detect email address (got 'user@sandbox.(none)')"
      : "fatal: empty ident name (for <user@sandbox>) not allowed";
  return new GitError(
    `${who} identity unknown\n\n*** Please tell me who you are.\n\nRun\n\n  git config --global user.email "you@example.com"\n  git config --global user.name "Your Name"\n\nto set your account's default identity.\nOmit --global to set the identity only in this repository.\n\n${last}`,
  );
}
