import { patchedFiles } from "../rows/patch-files.ts";

const TESTS = /^tests\/.*\.py$/;

/**
 * The script that runs all tests of a repository, those of the test patch with them: the commands of SWE-bench's
 * (v5 rows of Python repositories) without conda and installation. Every test file is put back to what it is at the
 * base commit, so that a test that the agent changed counts for nothing.
 * @param paths of the repository's files at the base commit
 */
export function evalScript(baseCommit: string, testPatch: string, paths: readonly string[]): string {
  const known = paths.filter((path) => TESTS.test(path));
  const fresh = patchedFiles(testPatch).flatMap(({ before, after }) =>
    before === null && after !== null ? [after] : [],
  );
  const reset = [
    `git checkout ${baseCommit} -- ${known.join(" ")}`,
    ...(fresh.length === 0 ? [] : [`rm -f -- ${fresh.join(" ")}`]),
  ];
  const modules = [...known, ...fresh]
    .filter((path) => /\/test_\w+\.py$/.test(path))
    .map((path) => path.replace(/\.py$/, "").replaceAll("/", "."))
    .sort();
  const lines = [
    "#!/bin/bash",
    "set -uxo pipefail",
    "cd /testbed",
    "git config --global --add safe.directory /testbed",
    "git status",
    "git show",
    `git -c core.fileMode=false diff ${baseCommit}`,
    ...reset,
    `git apply -v - <<'EOF_114329324912'\n${testPatch}\nEOF_114329324912`,
    ": '>>>>> Start Test Output'",
    `python3 -m unittest -v ${modules.join(" ")}`,
    ": '>>>>> End Test Output'",
    ...reset,
  ];
  return `${lines.join("\n")}\n`;
}
