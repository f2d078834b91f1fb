import type { GitCall } from "../call.ts";
import type { Flags, Options } from "../options.ts";
import { fromHere } from "../pathspec.ts";
import { quotedPath } from "../quote.ts";
import type { Change } from "../worktree.ts";
import { patchText } from "./patch-text.ts";
import { type ShownChange, withRenames } from "./renames.ts";
import { letterOf, numstat, shortstat, stat, summary } from "./summaries.ts";

/** What `diff`, `show` and `log` know of ways to show a change. */
export const DIFF_FLAGS: Flags = {
  "-p": "none",
  "-u": "none",
  "--patch": "none",
  "-s": "none",
  "--no-patch": "none",
  "-U": "value",
  "--unified": "value",
  "--stat": "inline",
  "--numstat": "none",
  "--shortstat": "none",
  "--summary": "none",
  "--name-only": "none",
  "--name-status": "none",
  "--binary": "none",
  "--full-index": "none",
  "--no-color": "none",
  "--color": "inline",
  "--no-ext-diff": "none",
  "--no-textconv": "none",
  "-M": "inline",
  "--find-renames": "inline",
  "--no-renames": "none",
  "--no-prefix": "none",
  "--src-prefix": "value",
  "--dst-prefix": "value",
  "--diff-filter": "value",
  "--relative": "none",
  "-R": "none",
  "-z": "none",
};

/** The forms that were asked for, or the one that a command shows by itself. */
export function shownForms({ flags }: Options, otherwise: "patch" | "none"): ReadonlySet<string> {
  const forms = ["--stat", "--numstat", "--shortstat", "--summary", "--name-only", "--name-status"].filter(
    (form) => flags.has(form),
  );
  const wantsPatch = ["-p", "-u", "--patch", "-U", "--unified", "--binary", "--full-index"].some((flag) =>
    flags.has(flag),
  );
  if (flags.has("-s") || flags.has("--no-patch")) return new Set(forms);
  if (wantsPatch || (forms.length === 0 && otherwise === "patch")) forms.push("patch");
  return new Set(forms);
}

/** Writes what changed in those forms. @returns whether there was anything to write. */
export function showChanges(
  git: GitCall,
  given: readonly Change[],
  options: Options,
  forms: ReadonlySet<string>,
): boolean {
  const { flags } = options;
  const changes = prepared(git, given, options);
  const end = flags.has("-z") ? "\0" : "\n";
  const name = (path: string): string => (flags.has("-z") ? path : quotedPath(path));
  const parts: string[] = [];
  if (forms.has("--name-only")) parts.push(changes.map(({ path }) => name(path) + end).join(""));
  if (forms.has("--name-status")) {
    parts.push(
      changes
        .map((change) => {
          const letter = letterOf(change);
          const paths = change.from === undefined ? [change.path] : [change.from, change.path];
          return (
            [letter === "R" ? "R100" : letter, ...paths.map(name)].join(flags.has("-z") ? "\0" : "\t") + end
          );
        })
        .join(""),
    );
  }
  if (forms.has("--numstat")) parts.push(numstat(changes));
  if (forms.has("--stat")) parts.push(stat(changes));
  else if (forms.has("--shortstat")) parts.push(shortstat(changes));
  if (forms.has("--summary")) parts.push(summary(changes));
  if (parts.length > 0) git.out(parts.join(""));
  if (forms.has("patch") && changes.length > 0) {
    if (parts.length > 0) git.out("\n");
    const [a, b] = flags.has("--no-prefix") ? ["", ""] : ["a/", "b/"];
    const text = patchText(changes, {
      binary: flags.has("--binary"),
      context: Number(flags.get("-U") ?? flags.get("--unified") ?? 3),
      fullIndex: flags.has("--full-index"),
      prefixes: [flags.get("--src-prefix") ?? a!, flags.get("--dst-prefix") ?? b!],
    });
    git.out(Buffer.from(text, "latin1"));
  }
  return changes.length > 0;
}

function prepared(git: GitCall, given: readonly Change[], { flags }: Options): ShownChange[] {
  const reversed = flags.has("-R")
    ? given.map(({ path, old, now }) => ({ path, old: now, now: old }))
    : given;
  const isOn = !flags.has("--no-renames") && (git.setting("diff.renames") ?? "true") !== "false";
  const changes = withRenames(reversed, isOn);
  const filter = flags.get("--diff-filter");
  const wanted =
    filter === undefined ? changes : changes.filter((change) => filterHas(filter, letterOf(change)));
  if (!flags.has("--relative")) return wanted;
  const inside = wanted.filter(({ path }) => path.startsWith(git.prefix));
  return inside.map((change) => ({ ...change, path: fromHere(git, change.path) }));
}

/** `AM` is those two, `d` is all but those that went. */
function filterHas(filter: string, letter: string): boolean {
  if (filter.includes(letter.toLowerCase())) return false;
  const wanted = filter.replace(/[a-z]/g, "");
  return wanted === "" || wanted.includes(letter);
}
