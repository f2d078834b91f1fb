import { dateOf } from "../shell/date.ts";
import { Fault } from "../tree/fault.ts";
import type { Node } from "../tree/node.ts";
import { at, type GnuEnd, type GnuWorld, reasonOf } from "./call.ts";
import { type Options, parseOptions } from "./options.ts";

const FLAGS = {
  "-a": "none",
  "-A": "none",
  "-d": "none",
  "-l": "none",
  "-1": "none",
  "-R": "none",
  "-r": "none",
  "-t": "none",
  "-S": "none",
  "-h": "none",
  "-F": "none",
  "-p": "none",
  "-g": "none",
  "-o": "none",
  "-n": "none",
  "-G": "none",
  "-U": "none",
  "-f": "none",
  "-L": "none",
  "-H": "none",
  "-N": "none",
  "--color": "maybe",
  "--group-directories-first": "none",
} as const;

const NAMES = {
  "--all": "-a",
  "--almost-all": "-A",
  "--directory": "-d",
  "--recursive": "-R",
  "--reverse": "-r",
  "--human-readable": "-h",
  "--classify": "-F",
  "--numeric-uid-gid": "-n",
  "--no-group": "-G",
  "--literal": "-N",
  "--dereference": "-L",
};

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly node: Node;
}

/** `ls`, as GNU's where its output is no terminal. Dates are the files' own; all is the user's. */
export function ls(args: readonly string[], world: GnuWorld): GnuEnd {
  return new Listing(parseOptions(args, FLAGS, NAMES), world).all();
}

class Listing {
  readonly #world: GnuWorld;
  readonly #options: Options;
  readonly #isLong: boolean;
  #out = "";
  #errors = "";
  #exitCode = 0;

  constructor(options: Options, world: GnuWorld) {
    this.#options = options;
    this.#world = world;
    this.#isLong = options.has("-l", "-g", "-o", "-n");
  }

  all(): GnuEnd {
    const { words, has } = this.#options;
    const names = words.length > 0 ? words : ["."];
    const [plain, folders]: [Entry[], Entry[]] = [[], []];
    for (const name of names) {
      const entry = this.#find(name);
      if (entry) (entry.node.kind === "folder" && !has("-d") ? folders : plain).push(entry);
    }
    this.#list(this.#sorted(plain));
    const isSeveral = names.length > 1 || has("-R");
    for (const folder of this.#sorted(folders)) this.#folder(folder, isSeveral);
    return { stdout: this.#out, stderr: this.#errors, exitCode: this.#exitCode };
  }

  /** A link that is named is followed to a folder, unless the listing is long. */
  #find(name: string): Entry | undefined {
    const { tree } = this.#world;
    const path = at(this.#world, name);
    try {
      const node = tree.lstat(path);
      const follows = this.#options.has("-L", "-H") || (!this.#isLong && !this.#options.has("-d", "-F"));
      const target = node.kind === "link" && follows ? tree.find(path) : undefined;
      return {
        name,
        path,
        node: target?.kind === "folder" || this.#options.has("-L") ? (target ?? node) : node,
      };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#errors += `ls: cannot access '${name}': ${reasonOf(error)}\n`;
      this.#exitCode = 2;
      return undefined;
    }
  }

  #folder(folder: Entry, isNamed: boolean): void {
    const { has } = this.#options;
    if (this.#out !== "") this.#out += "\n";
    if (isNamed) this.#out += `${folder.name}:\n`;
    const { tree } = this.#world;
    const base = folder.path === "/" ? "" : folder.path.replace(/\/$/, "");
    const entries: Entry[] = [...tree.list(folder.path)].map(([name, node]) => {
      const path = `${base}/${name}`;
      const target = has("-L") && node.kind === "link" ? tree.find(path) : undefined;
      return { name, path, node: target ?? node };
    });
    const isAll = has("-a", "-f");
    const shown = entries.filter(({ name }) => isAll || has("-A") || !name.startsWith("."));
    if (isAll)
      for (const name of [".", ".."]) {
        const path = at({ ...this.#world, cwd: folder.path }, name);
        shown.push({ name, path, node: tree.stat(path) });
      }
    const sorted = this.#sorted(shown);
    if (this.#isLong) {
      const blocks = sorted.reduce((sum, { node }) => sum + blocksOf(node), 0);
      this.#out += `total ${has("-h") ? human(blocks * 1024) : blocks}\n`;
    }
    this.#list(sorted);
    if (!has("-R")) return;
    const prefix = folder.name.endsWith("/") ? folder.name : `${folder.name}/`;
    for (const entry of sorted) {
      if (entry.node.kind === "folder" && entry.name !== "." && entry.name !== "..")
        this.#folder({ ...entry, name: prefix + entry.name }, true);
    }
  }

  #sorted(entries: readonly Entry[]): Entry[] {
    const { given, has } = this.#options;
    const sorted = [...entries];
    const by = given.findLast(([flag]) => ["-t", "-S", "-U", "-f"].includes(flag))?.[0];
    if (by === "-U" || by === "-f") return sorted;
    const compare = (a: Entry, b: Entry): number => {
      const first =
        by === "-t" ? b.node.mtimeMs - a.node.mtimeMs : by === "-S" ? sizeOf(b.node) - sizeOf(a.node) : 0;
      return first || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
    };
    sorted.sort((a, b) => (has("-r") ? compare(b, a) : compare(a, b)));
    if (has("--group-directories-first"))
      sorted.sort((a, b) => Number(b.node.kind === "folder") - Number(a.node.kind === "folder"));
    return sorted;
  }

  #list(entries: readonly Entry[]): void {
    const names = entries.map((entry) => entry.name + this.#mark(entry.node));
    if (!this.#isLong) {
      this.#out += names.map((name) => `${name}\n`).join("");
      return;
    }
    const { has } = this.#options;
    const links = entries.map(({ node }) => String(linksOf(node)));
    const sizes = entries.map(({ node }) => (has("-h") ? human(sizeOf(node)) : String(sizeOf(node))));
    const width = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));
    const [linkWidth, sizeWidth] = [width(links), width(sizes)];
    const owner = has("-n") ? "1000" : "user";
    const owners = [has("-g") ? "" : `${owner} `, has("-o", "-G") ? "" : `${owner} `].join("");
    for (const [index, { node }] of entries.entries()) {
      const target = node.kind === "link" ? ` -> ${node.target}` : "";
      this.#out += `${modeOf(node)} ${links[index]!.padStart(linkWidth)} ${owners}${sizes[index]!.padStart(sizeWidth)} ${this.#dateOf(node)} ${names[index]}${target}\n`;
    }
  }

  #mark(node: Node): string {
    const { has } = this.#options;
    if (node.kind === "folder") return has("-F", "-p") ? "/" : "";
    if (!has("-F")) return "";
    if (node.kind === "link") return this.#isLong ? "" : "@";
    return (node.mode & 0o111) !== 0 ? "*" : "";
  }

  #dateOf({ mtimeMs }: Node): string {
    const date = dateOf(mtimeMs);
    const month = date.toUTCString().slice(8, 11);
    const day = String(date.getUTCDate()).padStart(2);
    const age = this.#world.tree.nowMs - mtimeMs;
    const isRecent = age >= 0 && age < 15_778_476_000;
    const late = isRecent ? date.toISOString().slice(11, 16) : String(date.getUTCFullYear()).padStart(5);
    return `${month} ${day} ${late}`;
  }
}

function sizeOf(node: Node): number {
  return node.kind === "file" ? node.content.length : node.kind === "link" ? node.target.length : 4096;
}

function blocksOf(node: Node): number {
  return node.kind === "link" ? 0 : Math.ceil(sizeOf(node) / 4096) * 4;
}

function linksOf(node: Node): number {
  if (node.kind !== "folder") return 1;
  return 2 + [...node.entries.values()].filter(({ kind }) => kind === "folder").length;
}

function modeOf({ kind, mode }: Node): string {
  const letters = [...mode.toString(8).padStart(4, "0").slice(-3)].map((digit) => {
    const bits = Number(digit);
    return (bits & 4 ? "r" : "-") + (bits & 2 ? "w" : "-") + (bits & 1 ? "x" : "-");
  });
  const text = letters.join("");
  const sticky = mode & 0o1000 ? text.slice(0, 8) + (text.endsWith("x") ? "t" : "T") : text;
  return (kind === "folder" ? "d" : kind === "link" ? "l" : "-") + sticky;
}

/** `1.5K`, as `-h` has it: rounded up. */
function human(bytes: number): string {
  if (bytes < 1024) return String(bytes);
  const power = Math.min(4, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** power;
  const tenths = Math.ceil(value * 10) / 10;
  return `${tenths < 10 ? tenths.toFixed(1) : Math.ceil(value)}${" KMGT"[power]}`;
}
