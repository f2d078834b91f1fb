import { Fault } from "../../tree/fault.ts";
import { at, type GnuEnd, GnuError, type GnuWorld, reasonOf } from "../call.ts";
import { type Options, parseOptions } from "../options.ts";
import { decode } from "../text.ts";
import { FLAGS, NAMES } from "./flags.ts";
import { Matcher } from "./matcher.ts";
import { Report } from "./report.ts";
import { filesBelow, Names } from "./walk.ts";

/** `grep`, as GNU's 3.8. */
export function grep(args: readonly string[], world: GnuWorld): Promise<GnuEnd> {
  return grepAs(undefined, args, world);
}

export function egrep(args: readonly string[], world: GnuWorld): Promise<GnuEnd> {
  return grepAs("-E", args, world);
}

export function fgrep(args: readonly string[], world: GnuWorld): Promise<GnuEnd> {
  return grepAs("-F", args, world);
}

async function grepAs(syntax: string | undefined, args: readonly string[], world: GnuWorld): Promise<GnuEnd> {
  const options = parseOptions(syntax ? [syntax, ...args] : numbered(args), FLAGS, NAMES);
  if (options.has("--version")) return { stdout: "grep (GNU grep) 3.8 (forkgym)\n" };
  return new Call(options, world).all();
}

/** `-3` is `-C 3`. */
function numbered(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((arg, index) =>
    /^-\d+$/.test(arg) && (end === -1 || index < end) ? `-C${arg.slice(1)}` : arg,
  );
}

class Call {
  readonly #options: Options;
  readonly #world: GnuWorld;
  readonly #matcher: Matcher;
  readonly #names: readonly string[];
  #errors = "";
  #hasError = false;

  constructor(options: Options, world: GnuWorld) {
    this.#options = options;
    this.#world = world;
    const names = [...options.words];
    const patterns = options.given.flatMap(([flag, value = ""]) =>
      flag === "-e" ? value.split("\n") : flag === "-f" ? this.#patternsOf(value) : [],
    );
    if (!options.has("-e", "-f")) {
      const first = names.shift();
      if (first === undefined)
        throw new GnuError("no pattern was given: grep [OPTION]... PATTERNS [FILE]...");
      patterns.push(...first.split("\n"));
    }
    this.#names = names;
    this.#matcher = new Matcher(patterns, options);
  }

  #patternsOf(name: string): string[] {
    try {
      const { piped, stdin, tree } = this.#world;
      const bytes = name === "-" ? stdin : (piped.get(name) ?? tree.read(at(this.#world, name)));
      const text = decode(bytes);
      return text === "" ? [] : text.replace(/\n$/, "").split("\n");
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new GnuError(`${name}: ${reasonOf(error)}`);
    }
  }

  async all(): Promise<GnuEnd> {
    const { has } = this.#options;
    const isDeep = has("-r", "-R") || this.#options.value("-d") === "recurse";
    const given = this.#names.length > 0 ? this.#names : [isDeep ? "" : "-"];
    const report = new Report(this.#options, given.length > 1 || (isDeep && this.#isFolder(given[0]!)));
    const names = new Names(this.#options);
    for (const name of given) {
      if (report.isOver) break;
      if (name === "-") {
        this.#one(this.#world.stdin, this.#options.value("--label") ?? "(standard input)", report);
        continue;
      }
      try {
        await this.#path(name, isDeep, names, report);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        this.#fails(`${name}: ${reasonOf(error)}`);
      }
    }
    const exitCode = this.#hasError && !(has("-q") && report.hasMatch) ? 2 : report.hasMatch ? 0 : 1;
    return { stdout: report.written(), stderr: this.#errors + report.warnings, exitCode };
  }

  async #path(name: string, isDeep: boolean, names: Names, report: Report): Promise<void> {
    const { tree } = this.#world;
    const piped = this.#world.piped.get(name);
    if (piped) return this.#one(piped, name, report);
    const path = at(this.#world, name === "" ? "." : name);
    const node = tree.stat(path);
    if (node.kind === "file") {
      if (!names.takes(name, false, true)) return;
      await this.#world.turn();
      this.#one(node.content, name, report);
    } else if (!isDeep) {
      if (this.#options.value("-d") !== "skip") this.#fails(`${name}: Is a directory`);
    } else if (name === "" || names.takes(name, true, true)) {
      const prefix = name === "" ? "" : name.endsWith("/") ? name : `${name}/`;
      for (const file of filesBelow(tree, path, prefix, names, this.#options.has("-R"))) {
        await this.#world.turn();
        this.#one(file.content, file.name, report);
        if (report.isOver) return;
      }
    }
  }

  #one(content: Uint8Array, name: string, report: Report): void {
    if (this.#matcher.isWithout(content) && !report.countsAll) return;
    this.#world.guarded(() => report.file(name, content, this.#matcher));
  }

  #isFolder(name: string): boolean {
    try {
      return name === "" || this.#world.tree.find(at(this.#world, name))?.kind === "folder";
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  #fails(message: string): void {
    if (!this.#options.has("-s")) this.#errors += `grep: ${message}\n`;
    this.#hasError = true;
  }
}
