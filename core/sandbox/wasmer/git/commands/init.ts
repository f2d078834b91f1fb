import { joined } from "../../tree/path.ts";
import { type GitCall, GitError } from "../call.ts";
import { parseOptions } from "../options.ts";
import { Repository } from "../repository.ts";

export function init(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("init", args, {
    "-q": "none",
    "--quiet": "none",
    "-b": "value",
    "--initial-branch": "value",
  });
  if (words.length > 1) throw new GitError("usage: git init [-q] [-b <branch>] [<directory>]", 129);
  const folder = joined(git.cwd, words[0] ?? ".");
  const there = Repository.find(git.tree, git.tree.find(folder) ? folder : "/");
  const isThere = there?.root === folder;
  const branch =
    flags.get("-b") ?? flags.get("--initial-branch") ?? git.setting("init.defaultbranch") ?? "master";
  if (!isThere) Repository.make(git.tree, folder, branch);
  if (flags.has("-q") || flags.has("--quiet")) return 0;
  git.line(
    `${isThere ? "Reinitialized existing" : "Initialized empty"} Git repository in ${folder === "/" ? "" : folder}/.git/`,
  );
  return 0;
}
