import type { FileTree } from "../tree/file-tree.ts";
import { joined, namesOf } from "../tree/path.ts";
import { BytecodeServer } from "./bytecode-server.ts";
import type { Engine } from "./engine.ts";
import type { FileServer } from "./mounts.ts";
import { BYTECODE_FOLDER, SITE_FOLDER, SLEEP_FOLDER } from "./python.ts";
import { SleepServer } from "./sleep-server.ts";
import type { ProgramSource } from "./thread.ts";
import { OpenFiles, TreeServer } from "./tree-server.ts";
import type { OnOutput } from "./wasmer-thread.ts";

export interface ProgramRun {
  readonly source: ProgramSource;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  /** Whether the two streams go to the same place. @default false */
  readonly merge?: boolean;
}

/** Top folders that Wasmer or the program's own package has, so that a tree's are not seen. */
const RESERVED = new Set(["dev", "bin", "usr", "etc", "proc"]);

/**
 * Runs a program under Wasmer with the tree's top folders mounted: nothing is copied before, and each file it asks
 * for is answered from the tree at that time.
 */
export async function runProgram(
  engine: Engine,
  tree: FileTree,
  { source, args, cwd, env, stdin, merge = false }: ProgramRun,
  onOutput: OnOutput,
  signal: AbortSignal,
): Promise<number> {
  const open = new OpenFiles();
  const mounts: Record<string, number> = {};
  const mount = (path: string, server: FileServer): void => {
    mounts[path] = engine.mounts.add(server);
  };
  for (const [name, node] of tree.list("/")) {
    if (node.kind === "folder" && !RESERVED.has(name))
      mount(`/${name}`, new TreeServer(tree, `/${name}`, open));
  }
  mount(BYTECODE_FOLDER, new BytecodeServer(tree, open));
  mount(SLEEP_FOLDER, new SleepServer());
  const top = `/${namesOf(cwd)[0] ?? ""}`;
  const folder = top in mounts ? cwd : "/";
  const { PYTHONPATH } = env;
  const given = {
    ...env,
    ...(PYTHONPATH !== undefined && { FORKGYM_PYTHONPATH: PYTHONPATH }),
    PYTHONPATH: [SITE_FOLDER, ...fromFolder(PYTHONPATH, folder)].join(":"),
    PYTHONPYCACHEPREFIX: BYTECODE_FOLDER,
    FORKGYM_CWD: folder,
    ...(merge && { FORKGYM_MERGE: "1" }),
    PWD: folder,
  };
  try {
    return await engine.run({ source, args, cwd: folder, env: given, mounts, stdin }, onOutput, signal);
  } finally {
    for (const id of Object.values(mounts)) engine.mounts.remove(id);
  }
}

/** A Python starts in `/`, so its own copy of the list has absolute folders; an empty entry is the current one. */
function fromFolder(list: string | undefined, cwd: string): string[] {
  return list ? list.split(":").map((entry) => joined(cwd, entry)) : [];
}
