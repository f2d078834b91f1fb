import { joined } from "../../tree/path.ts";
import { type GitCall, GitError } from "../call.ts";
import { type ConfigFile, settingName } from "../config.ts";
import { parseOptions } from "../options.ts";
import { Repository } from "../repository.ts";

export function config(git: GitCall, args: readonly string[]): number {
  const { flags, words } = parseOptions("config", args, {
    "--global": "none",
    "--system": "none",
    "--local": "none",
    "-f": "value",
    "--file": "value",
    "--add": "none",
    "--get": "none",
    "--get-all": "none",
    "--unset": "none",
    "--unset-all": "none",
    "--replace-all": "none",
    "-l": "none",
    "--list": "none",
    "--bool": "none",
    "--int": "none",
  });
  const file = fileOf(git, flags);
  if (flags.has("-l") || flags.has("--list")) {
    for (const [name, value] of all(git, file)) git.line(`${name}=${value}`);
    return 0;
  }
  const [name, value] = words;
  if (name === undefined)
    throw new GitError("error: no action specified\nusage: git config [<options>]", 129);
  if (!name.includes(".")) throw new GitError(`error: key does not contain a section: ${name}`, 1);
  if (!/^[\w-]+\.(.*\.)?[A-Za-z][\w-]*$/s.test(name)) throw new GitError(`error: invalid key: ${name}`, 1);
  const isRead = flags.has("--get") || flags.has("--get-all");
  if (flags.has("--unset") || flags.has("--unset-all"))
    return (file ?? git.repo.config).change(name, undefined) > 0 ? 0 : 5;
  if (value === undefined || isRead) {
    const found = all(git, file).filter(([key]) => key === settingName(name));
    const shown = flags.has("--get-all") ? found : found.slice(-1);
    for (const [, text] of shown) git.line(flags.has("--bool") ? asBool(text) : text);
    return found.length > 0 ? 0 : 1;
  }
  (file ?? git.repo.config).change(name, value, flags.has("--add"));
  return 0;
}

/** Undefined if none is named: settings are then read everywhere, and written in the repository. */
function fileOf(git: GitCall, flags: ReadonlyMap<string, string>): ConfigFile | undefined {
  const named = flags.get("-f") ?? flags.get("--file");
  if (named !== undefined) return Repository.configAt(git.tree, joined(git.cwd, named));
  if (flags.has("--global")) return git.globalConfig;
  if (flags.has("--system")) return Repository.configAt(git.tree, "/etc/gitconfig");
  return flags.has("--local") ? git.repo.config : undefined;
}

function all(git: GitCall, file: ConfigFile | undefined): (readonly [string, string])[] {
  if (file) return file.all();
  return [...git.globalConfig.all(), ...(git.hasRepo ? git.repo.config.all() : []), ...git.settings];
}

function asBool(text: string): string {
  return ["false", "no", "off", "0", ""].includes(text.toLowerCase()) ? "false" : "true";
}
