import { Fault } from "../../tree/fault.ts";
import { joined } from "../../tree/path.ts";
import { at, type GnuEnd, GnuError, type GnuWorld, reasonOf } from "../call.ts";
import { type Options, parseOptions } from "../options.ts";
import { decode, encode } from "../text.ts";
import { Input, Lines } from "./input.ts";
import { Output } from "./output.ts";
import { parseScript } from "./parse.ts";
import { Sed } from "./run.ts";

const FLAGS = {
  "-n": "none",
  "-e": "value",
  "-f": "value",
  "-E": "none",
  "-r": "none",
  "-i": "maybe",
  "-l": "value",
  "-s": "none",
  "-u": "none",
  "-z": "none",
  "-b": "none",
  "--follow-symlinks": "none",
  "--version": "none",
} as const;

const NAMES = {
  "--quiet": "-n",
  "--silent": "-n",
  "--expression": "-e",
  "--file": "-f",
  "--regexp-extended": "-E",
  "--in-place": "-i",
  "--line-length": "-l",
  "--separate": "-s",
  "--unbuffered": "-u",
  "--null-data": "-z",
  "--zero-terminated": "-z",
  "--binary": "-b",
};

/** `sed`, as GNU's 4.9. */
export function sed(args: readonly string[], world: GnuWorld): GnuEnd {
  const options = parseOptions(args, FLAGS, NAMES);
  if (options.has("--version")) return { stdout: "sed (GNU sed) 4.9 (forkgym)\n" };
  return world.guarded(() => new Call(options, world).all());
}

class Call {
  readonly #world: GnuWorld;
  readonly #options: Options;
  readonly #lineEnd: string;
  readonly #outputs = new Map<string, Output>();
  readonly #readers = new Map<string, Lines | undefined>();
  readonly #edits: (() => void)[] = [];
  #errors = "";
  #exitCode = 0;

  constructor(options: Options, world: GnuWorld) {
    this.#options = options;
    this.#world = world;
    this.#lineEnd = options.has("-z") ? "\0" : "\n";
  }

  all(): GnuEnd {
    const { given, words, has, value } = this.#options;
    const parts = given.flatMap(([flag, text = ""]) =>
      flag === "-e" ? [text] : flag === "-f" ? [this.#script(text)] : [],
    );
    const names = [...words];
    if (parts.length === 0) {
      const first = names.shift();
      if (first === undefined) throw new GnuError("no script was given: sed [OPTION]... SCRIPT [FILE]...", 1);
      parts.push(first);
    }
    const text = parts.join("\n");
    const isQuiet = has("-n") || /^#n(\n|$)/.test(text);
    const script = parseScript(text, has("-E", "-r"));
    for (const { file, name, substitution } of script) {
      const target = name === "w" || name === "W" ? file : substitution?.file;
      if (target !== undefined && target !== "/dev/stdout") this.#output(target);
    }
    const run = new Sed({
      script,
      isQuiet,
      lineEnd: this.#lineEnd,
      width: Number(value("-l") ?? 70),
      read: (name) => this.#textOf(name),
      linesOf: (name) => this.#linesOf(name),
      output: (name) => this.#output(name),
    });
    const out = new Output();
    if (has("-i")) for (const name of names) this.#edit(run, name);
    else if (has("-s"))
      for (const name of names.length > 0 ? names : ["-"]) {
        this.#readers.clear();
        if (run.exitCode === undefined) run.over(this.#input([name]), out);
      }
    else run.over(this.#input(names.length > 0 ? names : ["-"]), out);
    for (const edit of this.#edits) edit();
    for (const [name, { text: written }] of this.#outputs)
      if (name !== "/dev/stderr")
        this.#world.tree.write(at(this.#world, name), new Uint8Array(encode(written)));
    const stderr = this.#errors + (this.#outputs.get("/dev/stderr")?.text ?? "");
    return { stdout: encode(out.text), stderr, exitCode: run.exitCode ?? this.#exitCode };
  }

  #script(name: string): string {
    try {
      return decode(this.#bytesOf(name)).replace(/^#!.*/, "").replace(/\n$/, "");
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new GnuError(`couldn't open file ${name}: ${reasonOf(error)}`, 4);
    }
  }

  #input(names: readonly string[]): Input {
    return new Input(names, (name) => this.#open(name));
  }

  #open(name: string): Lines | undefined {
    if (name === "-" || name === "/dev/stdin") return new Lines(this.#world.stdin, this.#lineEnd);
    const piped = this.#world.piped.get(name);
    if (piped) return new Lines(piped, this.#lineEnd);
    try {
      return new Lines(this.#world.tree.read(at(this.#world, name)), this.#lineEnd);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code === "EISDIR") this.#fails(`read error on ${name}: Is a directory`, 4);
      else this.#fails(`can't read ${name}: ${reasonOf(error)}`, 2);
      return undefined;
    }
  }

  #fails(message: string, exitCode: number): void {
    this.#errors += `sed: ${message}\n`;
    this.#exitCode = Math.max(this.#exitCode, exitCode);
  }

  /** Writes the file anew at the end, its mode kept. A link becomes a file, if links are not followed. */
  #edit(run: Sed, name: string): void {
    const { tree } = this.#world;
    const path = at(this.#world, name);
    const out = new Output();
    let mode: number;
    try {
      const node = tree.stat(path);
      if (node.kind !== "file") throw new GnuError(`couldn't edit ${name}: not a regular file`, 4);
      mode = node.mode;
    } catch (error) {
      if (error instanceof GnuError) this.#fails(error.message, 4);
      else if (error instanceof Fault) this.#fails(`can't read ${name}: ${reasonOf(error)}`, 2);
      else throw error;
      return;
    }
    if (run.exitCode !== undefined) return;
    this.#readers.clear();
    run.over(this.#input([name]), out);
    const suffix = this.#options.value("-i");
    const follows = this.#options.has("--follow-symlinks");
    this.#edits.push(() => {
      if (suffix !== undefined && suffix !== "") {
        const backup = this.#backup(path, suffix);
        tree.write(backup, tree.read(path));
        tree.chmod(backup, mode);
      }
      if (!follows && tree.lstat(path).kind === "link") tree.remove(path);
      tree.write(path, new Uint8Array(encode(out.text)));
      tree.chmod(path, mode);
    });
  }

  /** A suffix with `*` is a name, in which that stands for the file's. */
  #backup(path: string, suffix: string): string {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const whole = suffix.includes("*") ? suffix.replaceAll("*", name) : name + suffix;
    return joined(whole.includes("/") ? this.#world.cwd : joined(path, ".."), whole);
  }

  #textOf(name: string): string {
    try {
      return decode(this.#bytesOf(name === "/dev/stdin" ? "-" : name));
    } catch (error) {
      if (error instanceof Fault) return "";
      throw error;
    }
  }

  /** @throws {Fault} */
  #bytesOf(name: string): Uint8Array {
    const { piped, stdin, tree } = this.#world;
    return name === "-" ? stdin : (piped.get(name) ?? tree.read(at(this.#world, name)));
  }

  #linesOf(name: string): Lines | undefined {
    if (!this.#readers.has(name))
      this.#readers.set(name, new Lines(encode(this.#textOf(name)), this.#lineEnd));
    return this.#readers.get(name);
  }

  #output(name: string): Output {
    const output = this.#outputs.get(name) ?? new Output();
    this.#outputs.set(name, output);
    return output;
  }
}
