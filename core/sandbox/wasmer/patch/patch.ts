import { parsePatch } from "../git/apply/parse-patch.ts";
import { contentOf } from "../git/apply/patch-content.ts";
import { BadPatch, type FilePatch, reversed } from "../git/apply/patch-file.ts";
import { GitError, type GitWorld } from "../git/call.ts";
import { linesOf } from "../git/diff/lines.ts";
import type { GitEnd } from "../git/git.ts";
import { type Options, parseOptions } from "../git/options.ts";
import { nodeAt } from "../git/text-files.ts";
import { Fault } from "../tree/fault.ts";
import type { FileTree } from "../tree/file-tree.ts";
import { joined } from "../tree/path.ts";
import { type Patched, patchText } from "./patch-file.ts";

const FLAGS = {
  "-p": "value",
  "--strip": "value",
  "-i": "value",
  "--input": "value",
  "-d": "value",
  "--directory": "value",
  "-R": "none",
  "--reverse": "none",
  "-N": "none",
  "--forward": "none",
  "-f": "none",
  "--force": "none",
  "-t": "none",
  "--batch": "none",
  "-F": "value",
  "--fuzz": "value",
  "-s": "none",
  "--quiet": "none",
  "--silent": "none",
  "--verbose": "none",
  "--dry-run": "none",
  "-E": "none",
  "--remove-empty-files": "none",
  "-u": "none",
  "--unified": "none",
  "-b": "none",
  "--backup": "none",
  "--no-backup-if-mismatch": "none",
  "--binary": "none",
  "-r": "value",
  "--reject-file": "value",
} as const;

/** `patch`, as GNU's, for unified diffs; it never asks, since nobody could answer. */
export function patch(args: readonly string[], world: GitWorld): GitEnd {
  let out = "";
  const end = (exitCode: number, stderr = ""): GitEnd => ({ stdout: Buffer.from(out), stderr, exitCode });
  try {
    if (args.includes("--version"))
      return { stdout: Buffer.from("GNU patch 2.7.6 (forkgym)\n"), stderr: "", exitCode: 0 };
    const run = new Run(world, parseOptions("patch", args, FLAGS), (text) => {
      out += text;
    });
    return end(run.all());
  } catch (error) {
    if (error instanceof BadPatch) return end(2, `patch: **** ${malformed(error.message)}\n`);
    if (error instanceof Fault) return end(2, `patch: **** ${error.message}\n`);
    if (error instanceof GitError)
      return end(
        2,
        `patch: ${error.message.replace("git patch", "patch").replace("this git of the sandbox", "this patch of the sandbox")}\n`,
      );
    throw error;
  }
}

function malformed(message: string): string {
  return message.replace("corrupt patch at line", "malformed patch at line");
}

class Run {
  readonly #tree: FileTree;
  readonly #folder: string;
  readonly #options: Options;
  readonly #stdin: Uint8Array;
  readonly #cwd: string;
  readonly #write: (text: string) => void;

  constructor({ tree, cwd, stdin }: GitWorld, options: Options, write: (text: string) => void) {
    this.#tree = tree;
    this.#cwd = cwd;
    this.#options = options;
    this.#stdin = stdin;
    this.#write = write;
    this.#folder = joined(cwd, options.flags.get("-d") ?? options.flags.get("--directory") ?? ".");
  }

  #has(...names: (keyof typeof FLAGS)[]): boolean {
    return names.some((name) => this.#options.flags.has(name));
  }

  all(): number {
    const { flags, words, paths = [] } = this.#options;
    const [original, patchFile] = [...words, ...paths];
    const input = flags.get("-i") ?? flags.get("--input") ?? patchFile ?? "-";
    const strip = flags.get("-p") ?? flags.get("--strip");
    const lines = linesOf(this.#input(input));
    const parsed = parsePatch(lines, strip === undefined ? 0 : Number(strip));
    const patches = strip === undefined ? parsed.map(withoutFolders) : parsed;
    if (patches.length === 0 && lines.length > 0)
      throw new BadPatch("Only garbage was found in the patch input.");
    let isBad = false;
    for (const each of patches)
      if (!this.#one(this.#has("-R", "--reverse") ? reversed(each) : each, original)) isBad = true;
    return isBad ? 1 : 0;
  }

  #input(name: string): Uint8Array {
    if (name === "-") return this.#stdin;
    const node = nodeAt(this.#tree, joined(this.#cwd, name));
    if (!node) throw new BadPatch(`Can't open patch file ${name} : No such file or directory`);
    return this.#tree.read(joined(this.#cwd, name));
  }

  /** @returns whether all of it went in. */
  #one(given: FilePatch, original: string | undefined): boolean {
    const name = original ?? this.#nameOf(given);
    const isThere = name !== undefined && nodeAt(this.#tree, this.#path(name)) !== undefined;
    const way = this.#wayOf(given, name, isThere);
    if (way === "skip") return false;
    if (name === undefined || (!isThere && given.old !== undefined)) return this.#notFound(given);
    const renamed =
      given.isRename && given.old !== undefined && given.now !== undefined ? given.old : undefined;
    const target = renamed === undefined ? name : given.now!;
    const from = renamed === undefined ? "" : ` (renamed from ${quoted(renamed)})`;
    this.#say(`${this.#has("--dry-run") ? "checking" : "patching"} file ${quoted(target)}${from}\n`);
    if (given.binary) {
      this.#say(`File ${quoted(target)}: git binary diffs are not supported.\n`);
      return false;
    }
    const content = isThere ? this.#tree.read(this.#path(renamed ?? name)) : new Uint8Array();
    const rules = way === "back" ? { ...this.#rules, force: true } : this.#rules;
    const turned = way === "back" ? reversed(given) : given;
    const done = patchText(linesOf(content), turned, rules, (text) => this.#say(text));
    const left = contentOf(done.lines);
    if (!this.#has("--dry-run") && !done.isSkipped) this.#save(done, target, renamed, content, left);
    return this.#reject(done, target) && !this.#isLeft(done, target, left);
  }

  get #rules(): Parameters<typeof patchText>[2] {
    const { flags } = this.#options;
    return {
      maxFuzz: Number(flags.get("-F") ?? flags.get("--fuzz") ?? 2),
      forward: this.#has("-N", "--forward"),
      batch: this.#has("-t", "--batch"),
      force: this.#has("-f", "--force"),
      isReversed: this.#has("-R", "--reverse"),
    };
  }

  /** A file that a patch would make is there, or one that it would remove is not: perhaps it was applied before. */
  #wayOf({ old, now, hunks }: FilePatch, name: string | undefined, isThere: boolean): "on" | "back" | "skip" {
    const isMade = old === undefined && isThere && this.#tree.read(this.#path(name!)).length > 0;
    const isGone = now === undefined && !isThere;
    if ((!isMade && !isGone) || this.#has("-f", "--force")) return "on";
    const [what, why] = isMade ? ["create", "already exists"] : ["delete", "does not exist"];
    this.#say(`The next patch would ${what} the file ${quoted((now ?? old)!)},\nwhich ${why}!`);
    if (isMade && this.#has("-t", "--batch") && !this.#has("-N", "--forward")) {
      this.#say("  Assuming -R.\n");
      return "back";
    }
    this.#say("  Skipping patch.\n");
    this.#say(`${hunks.length} out of ${hunks.length} hunk${hunks.length === 1 ? "" : "s"} ignored\n`);
    return "skip";
  }

  #save(
    { patch: done, isMismatched, failed }: Patched,
    name: string,
    renamed: string | undefined,
    old: Uint8Array,
    content: Uint8Array,
  ): void {
    const path = this.#path(name);
    if (done.hunks.length > 0 && failed.length === done.hunks.length) return;
    const keeps = this.#has("-b", "--backup") || (isMismatched && !this.#has("--no-backup-if-mismatch"));
    const mode = nodeAt(this.#tree, this.#path(renamed ?? name))?.mode;
    if (keeps) this.#tree.write(`${path}.orig`, old);
    if (renamed !== undefined) this.#tree.remove(this.#path(renamed));
    if (content.length === 0 && (done.now === undefined || this.#has("-E", "--remove-empty-files"))) {
      if (nodeAt(this.#tree, path)) this.#tree.remove(path);
      this.#removeEmpty(joined(path, ".."));
      return;
    }
    this.#tree.mkdirs(joined(path, ".."));
    this.#tree.write(path, content);
    const wanted = done.newMode === undefined ? mode : done.newMode === "100755" ? 0o755 : 0o644;
    if (wanted !== undefined) this.#tree.chmod(path, wanted);
  }

  /** The folders that the last file of went, as far up as the one that patch runs in. */
  #removeEmpty(folder: string): void {
    for (
      let at = folder;
      at.startsWith(`${this.#folder}/`) && this.#tree.list(at).size === 0;
      at = joined(at, "..")
    ) {
      this.#tree.remove(at);
    }
  }

  #isLeft({ patch: done, failed }: Patched, name: string, content: Uint8Array): boolean {
    if (done.now !== undefined || content.length === 0 || failed.length > 0) return false;
    this.#say(`Not deleting file ${quoted(name)} as content differs from patch\n`);
    return true;
  }

  /** @returns whether there was nothing to reject. */
  #reject({ patch: done, failed, isSkipped }: Patched, name: string): boolean {
    if (failed.length === 0) return true;
    const all = done.hunks.length;
    const file = this.#options.flags.get("-r") ?? this.#options.flags.get("--reject-file") ?? `${name}.rej`;
    const saves = !this.#has("--dry-run") && file !== "-";
    const to = saves ? ` -- saving rejects to file ${quoted(file)}` : "";
    this.#say(
      `${failed.length} out of ${all} hunk${all === 1 ? "" : "s"} ${isSkipped ? "ignored" : "FAILED"}${to}\n`,
    );
    if (saves) {
      const head = `--- ${done.old ?? "/dev/null"}\n+++ ${done.now ?? "/dev/null"}\n`;
      const text = head + failed.map(({ text: hunk }) => Buffer.from(hunk, "latin1").toString()).join("");
      this.#tree.write(this.#path(file), new Uint8Array(Buffer.from(text)));
    }
    return false;
  }

  #notFound({ head, hunks, line }: FilePatch): boolean {
    this.#say(`can't find file to patch at input line ${line}\n`);
    this.#say(
      "Perhaps you used the wrong -p or --strip option?\nThe text leading up to this was:\n--------------------------\n",
    );
    this.#say(Buffer.from(head.replace(/^(?=.)/gm, "|"), "latin1").toString());
    this.#say("--------------------------\nNo file to patch.  Skipping patch.\n");
    this.#say(`${hunks.length} out of ${hunks.length} hunk${hunks.length === 1 ? "" : "s"} ignored\n`);
    return false;
  }

  /** Of the two names the one that is there; a new file has one. */
  #nameOf({ old, now }: FilePatch): string | undefined {
    const names = [old, now].filter((name): name is string => name !== undefined);
    if (old === undefined) return now;
    return names.find((name) => nodeAt(this.#tree, this.#path(name))) ?? undefined;
  }

  #path(name: string): string {
    return joined(this.#folder, name);
  }

  #say(text: string): void {
    if (!this.#has("-s", "--quiet", "--silent") || /FAILED|ignored|can't find/.test(text)) this.#write(text);
  }
}

function withoutFolders(each: FilePatch): FilePatch {
  const last = (name: string | undefined): string | undefined => name?.replace(/^.*\//, "");
  return { ...each, old: last(each.old), now: last(each.now) };
}

function quoted(name: string): string {
  return /[\s'"\\$&|;<>()*?[\]{}`!#~]/.test(name) ? `'${name.replaceAll("'", "'\\''")}'` : name;
}
