import { describe, expect, test } from "vitest";
import { FileError } from "../../../../core/errors.ts";
import { createWasmerSandbox } from "../../../../core/sandbox/wasmer/index.ts";
import { emptyState, FileTree } from "../../../../core/sandbox/wasmer/tree/file-tree.ts";
import { untar } from "../../../../core/sandbox/wasmer/tree/untar.ts";
import { tar } from "../../../contracts/sandbox-tar.ts";
import { missing } from "./installed.ts";

const text = (tree: FileTree, path: string): string => Buffer.from(tree.read(path)).toString();

describe("an archive", () => {
  test("brings folders, modes and links, and replaces what is there", () => {
    const tree = new FileTree(emptyState());
    tree.mkdirs("/into/bin");
    tree.write("/into/private", new Uint8Array(3));
    const long = `${"long-name/".repeat(11)}file`;
    const archive = tar([
      { name: "bin/", folder: true, mode: 0o700 },
      { name: "bin/tool", content: "#!/bin/sh\n", mode: 0o755 },
      { name: "bin/link", link: "tool" },
      { name: "no/folder/entry é", content: "\0\xff" },
      { name: "private", content: "x".repeat(513), mode: 0o600 },
      { name: long, content: "long" },
    ]);
    untar(tree, "/into", archive);
    expect(text(tree, "/into/bin/link")).toBe("#!/bin/sh\n");
    expect(tree.readLink("/into/bin/link")).toBe("tool");
    expect(tree.stat("/into/bin/tool").mode).toBe(0o755);
    expect(tree.stat("/into/bin").mode).toBe(0o700);
    expect(tree.stat("/into/private").mode).toBe(0o600);
    expect(text(tree, "/into/private")).toBe("x".repeat(513));
    expect(text(tree, "/into/no/folder/entry é")).toBe("\0ÿ");
    expect(text(tree, `/into/${long}`)).toBe("long");
  });

  test.each([
    ["noise", Uint8Array.from({ length: 2048 }, (_, index) => (index * 17 + 3) % 251)],
    ["a cut one", tar([{ name: "file", content: "x".repeat(5000) }]).subarray(0, 1000)],
    ["a name that leads up", tar([{ name: "a/../../out", content: "x" }])],
    ["an absolute name", tar([{ name: "/out", content: "x" }])],
    [
      "a link that leads up",
      tar([
        { name: "up", link: ".." },
        { name: "up/out", content: "x" },
      ]),
    ],
  ])("that is bad is a FileError: %s", (_, archive) => {
    const tree = new FileTree(emptyState());
    tree.mkdirs("/into");
    expect(() => untar(tree, "/into", archive)).toThrow(FileError);
    expect([...tree.list("/").keys()]).toEqual(["into"]);
  });
});

const reason = missing("just-bash");

describe.skipIf(reason)(`the files of a sandbox${reason && ` (skipped: ${reason})`}`, () => {
  test("keep their modes, also over a write and a fork", async () => {
    const box = await createWasmerSandbox({ python: false });
    await box.exec("echo '#!/bin/sh' > tool; chmod 750 tool");
    await box.writeFile("tool", "#!/bin/sh\necho tool\n");
    const fork = await box.fork(await box.snapshot());
    const { stdout } = await fork.exec("./tool; stat -c %a tool");
    expect(stdout.text).toBe("tool\n750\n");
    await Promise.all([box.close(), fork.close()]);
  });

  test("are shared by a fork, 1,600 of them and 33 MB, buffer by buffer", async () => {
    const files = workspace();
    const tree = new FileTree(emptyState());
    for (const [path, content] of Object.entries(files)) {
      tree.mkdirs(path.slice(0, path.lastIndexOf("/")));
      tree.write(path, content);
    }
    const fork = new FileTree(tree.state());
    fork.write("/repo/package-3/module-5.py", new Uint8Array([1]));
    let numShared = 0;
    for (const [path, content] of Object.entries(files)) {
      expect(tree.read(path), path).toBe(content);
      if (fork.read(path) === content) numShared++;
    }
    expect(numShared).toBe(1599);
    // Folders that the fork did not write in are the same objects, not equal ones.
    expect(fork.list("/repo/package-4")).toBe(tree.list("/repo/package-4"));
    expect(fork.list("/repo/package-3")).not.toBe(tree.list("/repo/package-3"));
  });
});

/** 16 folders of 100 files of 20,800 bytes. */
function workspace(): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  for (let at = 0; at < 1600; at++) {
    files[`/repo/package-${at % 16}/module-${Math.floor(at / 16)}.py`] = new Uint8Array(20_800).fill(at);
  }
  return files;
}
