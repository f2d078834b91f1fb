import { describe, expect, test } from "vitest";
import { FileError, SandboxError } from "../../../core/errors.ts";
import type { Sandbox } from "../../../core/sandbox/sandbox.ts";
import { applyPatch } from "../../../envs/swe-bench/grading/apply.ts";
import { baseOf, takePatch } from "../../../envs/swe-bench/patch.ts";
import { captured, HostBox, hostHasNoGit } from "./host-box.ts";

const FILES = { "a.py": "x = 1\n", Makefile: "all:\n", ".gitignore": "*.log\n" };

describe.skipIf(hostHasNoGit)(`with git${hostHasNoGit && ` (skipped: ${hostHasNoGit})`}`, () => {
  test("where nothing is uncommitted at the start, the base is the commit and nothing is left behind", async () => {
    const box = new HostBox(FILES, "echo a > a.log");
    expect(await baseOf(box.sandbox)).toBe(box.sh("git rev-parse HEAD").trim());
    expect(box.sh("git for-each-ref --format='%(refname)'; ls /tmp/")).toBe("refs/heads/main\n");
  });

  describe("an image that starts with an untracked and a modified file", () => {
    const start = () =>
      new HostBox(FILES, "echo i > install.sh; echo t >> Makefile; chmod +x a.py; git init -q own");

    test("has neither in the patch of an agent that did nothing, nor in its index", async () => {
      const box = start();
      const before = box.sh("git status --porcelain");
      const base = await baseOf(box.sandbox);
      expect(box.sh("git status --porcelain")).toBe(before);
      expect(await takePatch(box.sandbox, base)).toBe("");
    });

    test("has what the agent changed of them in it, and the patch applies to the image", async () => {
      const box = start();
      const image = box.copy();
      const base = await baseOf(box.sandbox);
      box.sh(
        "sed -i s/1/2/ a.py; echo more >> install.sh; echo n > new.py; git add -A new.py; git gc -q --prune=now",
      );
      const patch = await takePatch(box.sandbox, base);
      expect(filesOf(patch!)).toEqual(["a.py", "install.sh", "new.py"]);
      for (const rules of ["v4.1", "v5"] as const) {
        const graded = image.copy();
        expect((await applyPatch(graded.sandbox, patch!, rules)).applied).toBe(true);
        const show = "cat a.py install.sh new.py Makefile";
        expect(graded.sh(show)).toBe(box.sh(show));
      }
    });
  });

  test("an empty repository inside does not keep the rest out of the patch", async () => {
    const box = new HostBox(FILES);
    const base = await baseOf(box.sandbox);
    box.sh("sed -i s/1/2/ a.py; git init -q repro; echo x > repro/x; git init -q sub/own; echo f > sub/f");
    expect(filesOf((await takePatch(box.sandbox, base))!)).toEqual(["a.py", "sub/f"]);
  });

  test("an agent that removes the repository leaves no patch", async () => {
    const box = new HostBox(FILES);
    const base = await baseOf(box.sandbox);
    box.sh("rm -rf .git");
    expect(await takePatch(box.sandbox, base)).toBeUndefined();
  });
});

describe("what keeps git from its work says nothing of the agent's", () => {
  const answering = (end: { exitCode: number; timedOut?: boolean; stderr?: string }): Sandbox =>
    ({
      exec: async () => ({
        timedOut: false,
        ms: 1,
        stdout: captured(""),
        ...end,
        stderr: captured(end.stderr ?? ""),
      }),
    }) as unknown as Sandbox;

  test.each([
    [
      "a full disk",
      { exitCode: 128, stderr: "fatal: unable to write new index file: No space left on device" },
    ],
    ["no memory", { exitCode: 128, stderr: "fatal: mmap failed: Cannot allocate memory" }],
    ["a kill", { exitCode: 137 }],
    ["a time-out", { exitCode: 137, timedOut: true }],
  ])("%s", async (_, end) => {
    await expect(takePatch(answering(end), "HEAD")).rejects.toThrow(SandboxError);
  });

  test("another failure of git's is the agent's", async () => {
    const sandbox = answering({ exitCode: 128, stderr: "fatal: index file corrupt" });
    expect(await takePatch(sandbox, "HEAD")).toBeUndefined();
    const exec = () => Promise.reject(new FileError("/testbed: no such folder"));
    expect(await takePatch({ exec } as unknown as Sandbox, "HEAD")).toBeUndefined();
  });
});

function filesOf(patch: string): string[] {
  return [...patch.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name!);
}
