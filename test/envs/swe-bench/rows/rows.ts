import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const GOLD: string =
  "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\r\n+x = 2\r\n";

/** Makes a file and changes none. */
export const TESTS: string =
  "diff --git a/tests/test_a.py b/tests/test_a.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/test_a.py\n" +
  "@@ -0,0 +1 @@\n+def test_a(): pass\n";

/** The least that a row's own eval script must have. */
export const SCRIPT: string =
  "set -uxo pipefail\n: '>>>>> Start Test Output'\ntrue\n: '>>>>> End Test Output'\n";

/** A row as SWE-bench published it before v5. */
export function classicRow(more: object = {}): Record<string, unknown> {
  return {
    repo: "pallets/flask",
    instance_id: "pallets__flask-1",
    base_commit: "a".repeat(40),
    patch: GOLD,
    test_patch: TESTS,
    problem_statement: "It breaks.",
    hints_text: "",
    version: "2.3",
    FAIL_TO_PASS: '["tests/test_a.py::test_a"]',
    PASS_TO_PASS: '["tests/test_a.py::test_b[x"]',
    ...more,
  };
}

/** Writes a file of that name into a new folder. @returns its path. */
export async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "forkgym-rows-")), name);
  await writeFile(path, content);
  return path;
}
