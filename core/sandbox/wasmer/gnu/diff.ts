import { hunks } from "../git/diff/hunks.ts";
import { blocksOf } from "../git/diff/lines.ts";
import { dateOf } from "../shell/date.ts";
import { Fault } from "../tree/fault.ts";
import type { Node } from "../tree/node.ts";
import { at, type GnuEnd, GnuError, type GnuWorld, reasonOf } from "./call.ts";
import { bytesOf, latin1 } from "./files.ts";
import { globOf } from "./glob.ts";
import { type Options, parseOptions } from "./options.ts";

const FLAGS = {
  "-u": "none",
  "-U": "value",
  "-q": "none",
  "-s": "none",
  "-r": "none",
  "-N": "none",
  "-a": "none",
  "-i": "none",
  "-w": "none",
  "-b": "none",
  "-Z": "none",
  "-p": "none",
  "-x": "value",
  "-d": "none",
  "--label": "value",
  "--normal": "none",
  "--color": "maybe",
  "--strip-trailing-cr": "none",
} as const;

const NAMES = {
  "--brief": "-q",
  "--report-identical-files": "-s",
  "--recursive": "-r",
  "--new-file": "-N",
  "--text": "-a",
  "--ignore-case": "-i",
  "--ignore-all-space": "-w",
  "--ignore-space-change": "-b",
  "--ignore-trailing-space": "-Z",
  "--exclude": "-x",
  "--minimal": "-d",
};

interface Side {
  readonly name: string;
  /** Undefined if it is absent and taken for empty. */
  readonly content: Uint8Array | undefined;
  readonly mtimeMs: number;
}

/** `diff`, as GNU's: normal and unified. 0 the same, 1 not, 2 trouble. */
export function diff(args: readonly string[], world: GnuWorld): GnuEnd {
  // `-u5` and `-U5`, and the long names with a number of lines.
  const given = args.map((arg) => arg.replace(/^(-u|--unified=)(?=\d+$)/, "-U").replace(/^--unified$/, "-u"));
  const options = parseOptions(given, FLAGS, NAMES);
  const [a, b, ...more] = options.words;
  if (a === undefined || b === undefined) throw new GnuError(`missing operand after '${a ?? "diff"}'`);
  if (more.length > 0) throw new GnuError(`extra operand '${more[0]}'`);
  return new Comparison(options, world, args).all(a, b);
}

class Comparison {
  readonly #options: Options;
  readonly #world: GnuWorld;
  readonly #line: string;
  readonly #excludes: readonly ((name: string) => boolean)[];
  #out = "";
  #errors = "";
  #exitCode = 0;

  constructor(options: Options, world: GnuWorld, args: readonly string[]) {
    this.#options = options;
    this.#world = world;
    this.#line = `diff ${args.filter((arg) => !options.words.includes(arg)).join(" ")}`.trimEnd();
    this.#excludes = options.all("-x").map(globOf);
  }

  all(a: string, b: string): GnuEnd {
    const [left, right] = [this.#node(a), this.#node(b)];
    if (left && right) {
      if (left.kind === "folder" && right.kind === "folder") this.#folders(a, b);
      else if (left.kind === "folder") this.#pair(`${a.replace(/\/$/, "")}/${nameOf(b)}`, b);
      else if (right.kind === "folder") this.#pair(a, `${b.replace(/\/$/, "")}/${nameOf(a)}`);
      else this.#files(this.#side(a, left), this.#side(b, right));
    }
    return { stdout: bytesOf(this.#out), stderr: this.#errors, exitCode: this.#exitCode };
  }

  #pair(a: string, b: string): void {
    const [left, right] = [this.#node(a), this.#node(b)];
    if (left && right) this.#files(this.#side(a, left), this.#side(b, right));
  }

  #node(name: string): Node | undefined {
    const piped = name === "-" ? this.#world.stdin : this.#world.piped.get(name);
    if (piped) return { kind: "file", content: piped, mode: 0o644, mtimeMs: this.#world.tree.nowMs };
    try {
      return this.#world.tree.stat(at(this.#world, name));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#errors += `diff: ${name}: ${reasonOf(error)}\n`;
      this.#exitCode = 2;
      return undefined;
    }
  }

  #side(name: string, node: Node | undefined): Side {
    return { name, content: node?.kind === "file" ? node.content : undefined, mtimeMs: node?.mtimeMs ?? 0 };
  }

  #folders(a: string, b: string): void {
    const { tree } = this.#world;
    const { has } = this.#options;
    const [left, right] = [tree.list(at(this.#world, a)), tree.list(at(this.#world, b))];
    const names = [...new Set([...left.keys(), ...right.keys()])].sort((x, y) =>
      Buffer.compare(Buffer.from(x), Buffer.from(y)),
    );
    const below = (folder: string, name: string): string => `${folder.replace(/\/$/, "")}/${name}`;
    for (const name of names) {
      if (this.#excludes.some((excludes) => excludes(name))) continue;
      const [one, other] = [below(a, name), below(b, name)];
      const [x, y] = [one, other].map((path) => tree.find(at(this.#world, path)));
      if ((!x || !y) && !(has("-N") && (x ?? y)?.kind === "file")) {
        this.#say(`Only in ${(x ? a : b).replace(/(.)\/$/, "$1")}: ${name}`);
      } else if (x?.kind === "folder" && y?.kind === "folder") {
        if (has("-r")) this.#folders(one, other);
        else this.#out += `Common subdirectories: ${one} and ${other}\n`;
      } else if (x?.kind === "folder" || y?.kind === "folder") {
        const kind = (node: Node | undefined): string =>
          node?.kind === "folder" ? "directory" : "regular file";
        this.#say(`File ${one} is a ${kind(x)} while file ${other} is a ${kind(y)}`);
      } else this.#files(this.#side(one, x), this.#side(other, y), `${this.#line} ${one} ${other}\n`);
    }
  }

  #say(text: string): void {
    this.#out += `${bytesOfText(text)}\n`;
    this.#exitCode = Math.max(this.#exitCode, 1);
  }

  #files(a: Side, b: Side, head = ""): void {
    const { has, value, all } = this.#options;
    const [old, now] = [a.content ?? new Uint8Array(), b.content ?? new Uint8Array()];
    const [before, after] = [linesOf(latin1(old)), linesOf(latin1(now))];
    const [shownOld, shownNow] = [this.#compared(before), this.#compared(after)];
    const isSame =
      shownOld.length === shownNow.length && shownOld.every((line, index) => line === shownNow[index]);
    if (isSame) {
      if (has("-s")) this.#out += `Files ${bytesOfText(`${a.name} and ${b.name}`)} are identical\n`;
      return;
    }
    const isBinary = !has("-a") && [old, now].some((content) => content.subarray(0, 32768).includes(0));
    if (has("-q") || isBinary) {
      this.#say(`${isBinary && !has("-q") ? "Binary files" : "Files"} ${a.name} and ${b.name} differ`);
      return;
    }
    this.#exitCode = Math.max(this.#exitCode, 1);
    this.#out += bytesOfText(head);
    if (!has("-u", "-U", "-p")) {
      this.#normal(before, after, shownOld, shownNow);
      return;
    }
    if (has("-p")) throw new GnuError("-p is not in the sandbox's diff");
    const labels = all("--label");
    const named = ({ name, mtimeMs }: Side, label: string | undefined): string =>
      bytesOfText(label ?? `${/[ "\\]/.test(name) ? JSON.stringify(name) : name}\t${dateText(mtimeMs)}`);
    this.#out += `--- ${named(a, labels[0])}\n+++ ${named(b, labels[1])}\n`;
    const isLoose = shownOld !== before;
    if (isLoose) throw new GnuError("-u with -i, -w, -b or -Z is not in the sandbox's diff");
    this.#out += hunks(before, after, value("-U") === undefined ? 3 : Number(value("-U"))).replace(
      /^(@@ [^@\n]* @@).*$/gm,
      "$1",
    );
  }

  #compared(lines: readonly string[]): readonly string[] {
    const { has } = this.#options;
    if (!has("-i", "-w", "-b", "-Z", "--strip-trailing-cr")) return lines;
    return lines.map((line) => {
      let text = has("-i") ? line.toLowerCase() : line;
      if (has("-w")) text = text.replace(/[ \t\r\v\f]/g, "");
      else if (has("-b")) text = text.replace(/[ \t\r\v\f]+$/gm, "").replace(/[ \t\r\v\f]+/g, " ");
      else if (has("-Z")) text = text.replace(/[ \t\r\v\f]+$/gm, "");
      else if (has("--strip-trailing-cr")) text = text.replace(/\r$/m, "");
      return text;
    });
  }

  #normal(
    old: readonly string[],
    now: readonly string[],
    shownOld: readonly string[],
    shownNow: readonly string[],
  ): void {
    const range = (from: number, to: number): string => {
      const count = to - from;
      return count <= 1 ? String(from + count) : `${from + 1},${to}`;
    };
    const add = (sign: string, lines: readonly string[]): void => {
      for (const line of lines)
        this.#out += line.endsWith("\n")
          ? `${sign} ${line}`
          : `${sign} ${line}\n\\ No newline at end of file\n`;
    };
    for (const { oldFrom, oldTo, newFrom, newTo } of blocksOf(shownOld, shownNow)) {
      const letter = oldFrom === oldTo ? "a" : newFrom === newTo ? "d" : "c";
      this.#out += `${range(oldFrom, oldTo)}${letter}${range(newFrom, newTo)}\n`;
      add("<", old.slice(oldFrom, oldTo));
      if (letter === "c") this.#out += "---\n";
      add(">", now.slice(newFrom, newTo));
    }
  }
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function nameOf(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1)!;
}

/** Text as characters of bytes. */
function bytesOfText(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function dateText(ms: number): string {
  return `${dateOf(ms).toISOString().replace("T", " ").replace("Z", "")}000000 +0000`;
}
