import { afterEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../../../core/sandbox/sandbox.ts";
import { createWasmerSandbox } from "../../../../../core/sandbox/wasmer/index.ts";
import { missing } from "../installed.ts";
import { ENV } from "./host.ts";
import { committed, type File, type Files, ours, ROOT, treeOf, writeTree } from "./trees.ts";

const file = (text: string): File => ({ content: new Uint8Array(Buffer.from(text)), mode: "file" });

describe("a commit", () => {
  test("shares the contents of its files with the working tree, byte for byte the same buffers", () => {
    const all: Files = new Map(
      Array.from({ length: 200 }, (_, at) => [`d${at % 8}/f${at}`, file(`content ${at}\n`)]),
    );
    const tree = committed(all);
    writeTree(tree, new Map());
    expect(ours(tree, ["status", "--short"]).stdout.toString().split("\n")).toHaveLength(201);
    ours(tree, ["checkout", "-q", "--", "."]);
    for (const [path, { content }] of all) expect(tree.read(`${ROOT}/${path}`), path).toBe(content);
  });

  test("has the id that git gives it", () => {
    const tree = committed(new Map([["hello.txt", file("hello\n")]]));
    // printf 'hello\n' > hello.txt; git add -A; git commit -m base, with the names and dates of ENV
    expect(ours(tree, ["rev-parse", "HEAD^{tree}"]).stdout.toString()).toBe(
      "aaa96ced2d9a1c8e72c56b253a0e2fe78393feb7\n",
    );
    expect(ours(tree, ["rev-parse", "HEAD:hello.txt"]).stdout.toString()).toBe(
      "ce013625030ba8dba906f756967f9e9ca394464a\n",
    );
  });

  test("of what a program copied is not there, and git says so", () => {
    const tree = committed(new Map([["a", file("a\n")]]));
    const head = ours(tree, ["rev-parse", "HEAD"]).stdout.toString().trim();
    const path = `${ROOT}/.git/objects/${head.slice(0, 2)}/${head.slice(2)}`;
    tree.write(path, Uint8Array.from(tree.read(path)));
    expect(ours(tree, ["show", "HEAD"])).toMatchObject({
      exitCode: 128,
      stderr: expect.stringContaining("fatal:"),
    });
  });
});

describe("an unknown word is no success", () => {
  test.each([
    [["frobnicate"], 1],
    [["clone", "https://example.com/x"], 1],
    [["status", "--frob"], 129],
    [["diff", "--word-diff"], 129],
    [["commit", "--fixup=HEAD"], 129],
    [["apply", "--ignore-whitespace"], 129],
    [["--frob", "status"], 129],
  ])("git %j ends with %i", (args, exitCode) => {
    const end = ours(treeOf(new Map()), ["init", "-q"]);
    expect(end.exitCode).toBe(0);
    const result = ours(committed(new Map()), args);
    expect([result.exitCode, result.stdout.toString()]).toEqual([exitCode, ""]);
    expect(result.stderr).not.toBe("");
  });
});

const reason = missing("just-bash");

describe.skipIf(reason)(`a repository in a sandbox${reason && ` (skipped: ${reason})`}`, () => {
  const open: Sandbox[] = [];
  const keep = (box: Sandbox): Sandbox => {
    open.push(box);
    return box;
  };
  afterEach(() => Promise.all(open.splice(0).map((box) => box.close())));
  const make = async (): Promise<Sandbox> => {
    const files = { "a.py": "one\n", "pkg/b.py": "two\n" };
    const box = keep(await createWasmerSandbox({ python: false, cwd: "/testbed", env: { ...ENV }, files }));
    await box.exec("git init -q && git add -A && git commit -qm base");
    return box;
  };
  const out = async (box: Sandbox, script: string): Promise<string> => (await box.exec(script)).stdout.text;

  test("goes with a fork, and each fork has its own", async () => {
    const box = await make();
    await box.exec("echo three >> a.py; git add a.py");
    const fork = keep(await box.fork(await box.snapshot()));
    await fork.exec("git commit -qm fork; echo four > new; git tag here");
    expect(await out(fork, "git log --format=%s; git status -s; git tag")).toBe("fork\nbase\n?? new\nhere\n");
    expect(await out(box, "git log --format=%s; git status -s; git tag; git log --all --format=%s")).toBe(
      "base\nM  a.py\nbase\n",
    );
    const head = (await out(fork, "git rev-parse HEAD")).trim();
    expect((await box.exec(`git show ${head}`)).exitCode).toBe(128);
  });

  test("goes where it is copied or moved to", async () => {
    const box = await make();
    expect(
      await out(
        box,
        "cp -r /testbed /copy; cd /copy; git status -s; git log --format=%s; echo x > a.py; git diff --stat | tail -1",
      ),
    ).toBe("base\n 1 file changed, 1 insertion(+), 1 deletion(-)\n");
    expect(await out(box, "mv /copy /moved; cd /moved; git status -s; cd /testbed; git status -s")).toBe(
      " M a.py\n",
    );
  });

  test("is not found by a search through the files", async () => {
    const box = await make();
    expect(await out(box, "grep -rl two . ; find . -name '*.py' | sort")).toBe(
      "./pkg/b.py\n./a.py\n./pkg/b.py\n",
    );
  });

  test("forgets with gc what nothing leads to", async () => {
    const box = await make();
    const script =
      "echo x >> a.py; git commit -qam lost; id=$(git rev-parse HEAD); git reset -q --hard HEAD~1; git cat-file -t $id; git gc -q --prune=now; git cat-file -t $id";
    const { stdout, exitCode } = await box.exec(script);
    expect([stdout.text, exitCode]).toEqual(["commit\n", 128]);
  });
});
