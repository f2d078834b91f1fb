import { expect, test } from "vitest";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { settleIn } from "../../../../envs/swe-bench/workspaces/baseline.ts";
import { instanceWith } from "../grading/rows.ts";
import { describeOnSandboxes } from "../tools/workbench.ts";

const instance = instanceWith({}, { family: "r2e-gym" });
const LIST = `cd /
for path in testbed/run_tests.sh testbed/r2e_tests r2e_tests root/run_tests.sh root/r2e_tests/test_1.py; do
  if [ -e "$path" ]; then echo "$path"; fi
done`;

describeOnSandboxes("settling in, R2E-Gym", (open) => {
  const image = async (tests: string): Promise<Sandbox> => {
    const sandbox = await open({ "run_tests.sh": "echo theirs\n", "src.py": "x = 1\n" });
    await sandbox.exec("rm -rf /r2e_tests /root/r2e_tests /root/run_tests.sh; mkdir -p .git/info");
    await sandbox.writeFile(`${tests}/test_1.py`, "x\n");
    return sandbox;
  };
  const files = async (sandbox: Sandbox) => (await sandbox.exec(LIST)).stdout.text.trim().split("\n");

  test.each(["/r2e_tests", "/testbed/r2e_tests"])(
    "for grading, run_tests.sh and %s go where no patch reaches",
    async (tests) => {
      const sandbox = await image(tests);
      await settleIn(sandbox, instance, "grading");
      expect(await files(sandbox)).toEqual(["root/run_tests.sh", "root/r2e_tests/test_1.py"]);
    },
  );

  test("an agent has none of them", async () => {
    const sandbox = await image("/r2e_tests");
    await settleIn(sandbox, instance, "agent");
    expect(await files(sandbox)).toEqual([""]);
  });
});
