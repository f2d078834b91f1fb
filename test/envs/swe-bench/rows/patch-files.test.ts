import { expect, test } from "vitest";
import { patchedFiles } from "../../../../envs/swe-bench/rows/patch-files.ts";

test("changed, new, deleted, renamed, copied and mode-only files are told apart", () => {
  const patch = [
    "diff --git a/same.py b/same.py",
    "index 1..2 100644",
    "--- a/same.py",
    "+++ b/same.py",
    "@@ -1,2 +1,2 @@",
    "--- a/not-a-header",
    "+++ b/not-a-header",
    " ",
    "diff --git a/new.py b/new.py",
    "new file mode 100644",
    "--- /dev/null",
    "+++ b/new.py",
    "@@ -0,0 +1 @@",
    "+x",
    "\\ No newline at end of file",
    "diff --git a/empty.py b/empty.py",
    "new file mode 100644",
    "index 0..0",
    "diff --git a/gone.py b/gone.py",
    "deleted file mode 100644",
    "--- a/gone.py",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-x",
    "diff --git a/old name.py b/fresh name.py",
    "rename from old name.py",
    "rename to fresh name.py",
    "diff --git a/one.py b/copy.py",
    "copy from one.py",
    "copy to copy.py",
    "diff --git a/run.sh b/run.sh",
    "old mode 100644",
    "new mode 100755",
    'diff --git "a/na\\303\\257ve \\"q\\".py" "b/na\\303\\257ve \\"q\\".py"',
    '--- "a/na\\303\\257ve \\"q\\".py"',
    '+++ "b/na\\303\\257ve \\"q\\".py"',
    "@@ -1 +1 @@",
    "-a",
    "+b",
    "",
  ].join("\n");
  expect(patchedFiles(patch)).toEqual([
    { before: "same.py", after: "same.py" },
    { before: null, after: "new.py" },
    { before: null, after: "empty.py" },
    { before: "gone.py", after: null },
    { before: "old name.py", after: "fresh name.py" },
    { before: null, after: "copy.py" },
    { before: "run.sh", after: "run.sh" },
    { before: 'naïve "q".py', after: 'naïve "q".py' },
  ]);
});

test("plain diffs without git's lines, with dates and CRLF headers", () => {
  const patch =
    "--- a/x.py\t2020-01-01\r\n+++ b/x.py\t2020-01-02\r\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/y.py\n@@ -0,0 +1 @@\n+c\n";
  expect(patchedFiles(patch)).toEqual([
    { before: "x.py", after: "x.py" },
    { before: null, after: "y.py" },
  ]);
  expect(patchedFiles("")).toEqual([]);
});
