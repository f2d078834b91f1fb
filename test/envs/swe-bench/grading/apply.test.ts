import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../../core/errors.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { applyPatch } from "../../../../envs/swe-bench/grading/apply.ts";
import { captured, HostBox, hostHasNoGit } from "../host-box.ts";

describe.skipIf(hostHasNoGit)(`with git${hostHasNoGit && ` (skipped: ${hostHasNoGit})`}`, () => {
  const files = { "a.py": "x = 1\n", ".gitignore": "_version.py\n" };
  const change = "sed -i s/1/2/ a.py; git add -A; git add -f _version.py; git diff --cached HEAD";

  test("v5 takes a patch as applied whose ignored file is in the image and whose rest the last attempt applied", async () => {
    const image = new HostBox(files, "echo 1.0 > _version.py");
    const patch = image.copy().sh(change);
    expect(await applyPatch(image.sandbox, patch, "v5")).toEqual({
      applied: true,
      log: ">>>>> Applied Patch:\nverified already applied\n",
    });
    expect(image.sh("cat a.py")).toBe("x = 2\n");
  });

  test("v5 refuses it if that file is another", async () => {
    const image = new HostBox(files, "echo 1.0 > _version.py");
    const other = new HostBox(files, "echo 2.0 > _version.py");
    expect((await applyPatch(image.sandbox, other.sh(change), "v5")).applied).toBe(false);
  });
});

test.each([
  ["a full disk", { exitCode: 128, said: "error: unable to write file a.py: No space left on device" }],
  ["a kill", { exitCode: 137, said: "" }],
  ["a time-out", { exitCode: 137, timedOut: true, said: "" }],
])("%s is no patch that does not apply", async (_, { said, ...end }) => {
  const result = { timedOut: false, ms: 1, stderr: captured(""), stdout: captured(said), ...end };
  const sandbox = { exec: async () => result, writeFile: async () => {} } as unknown as Sandbox;
  for (const rules of ["v4.1", "v5"] as const) {
    await expect(applyPatch(sandbox, "patch", rules)).rejects.toThrow(SandboxError);
  }
});

test("what a patch's own text says of a full disk is not git's word", async () => {
  const said = "error: while searching for:\nOSError: No space left on device\nerror: patch failed: a.py:1";
  const result = { timedOut: false, ms: 1, stderr: captured(""), stdout: captured(said), exitCode: 1 };
  const sandbox = { exec: async () => result, writeFile: async () => {} } as unknown as Sandbox;
  expect((await applyPatch(sandbox, "patch", "v5")).applied).toBe(false);
});
