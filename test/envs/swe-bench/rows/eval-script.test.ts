import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { evalScript, smithScript, testDirectives } from "../../../../envs/swe-bench/rows/eval-script.ts";
import { specOf } from "../../../../envs/swe-bench/rows/specs.ts";
import { TESTS } from "./rows.ts";

const CHANGED = "diff --git a/t/b.py b/t/b.py\n--- a/t/b.py\n+++ b/t/b.py\n@@ -1 +1 @@\n-old\n+expected\n";
const own = { repo: "pallets/flask", baseCommit: "HEAD" };

test("the script of a classic row, line by line", () => {
  const spec = { before: ["export A=1"], install: "pip install -e .", test: "pytest -rA" };
  expect(evalScript({ ...own, testPatch: CHANGED + TESTS }, spec)).toBe(`#!/bin/bash
set -uxo pipefail
source /opt/miniconda3/bin/activate
conda activate testbed
cd /testbed
export A=1
git config --global --add safe.directory /testbed
cd /testbed
git status
git show
git -c core.fileMode=false diff HEAD
source /opt/miniconda3/bin/activate
conda activate testbed
pip install -e .
git checkout HEAD -- t/b.py
rm -f -- tests/test_a.py
git apply -v - <<'EOF_114329324912'
${CHANGED}${TESTS}
EOF_114329324912
: '>>>>> Start Test Output'
pytest -rA t/b.py tests/test_a.py
: '>>>>> End Test Output'
git checkout HEAD -- t/b.py
rm -f -- tests/test_a.py
`);
});

test("data files are no tests, and django's runner is given modules", () => {
  const paths = ["tests/a/tests.py", "tests/a/x.json", "docs/y.md", "tests/b/data.csv", "js/t.js"];
  const patch = paths.map((path) => `diff --git a/${path} b/${path}\n`).join("");
  expect(testDirectives("django/django", patch)).toEqual(["a.tests", "js.t.js"]);
  expect(testDirectives("pallets/flask", patch)).toEqual(["tests/a/tests.py", "js/t.js"]);
});

/** Runs the script's own commands from the reset on, in a repository. */
function run(cwd: string, testPatch: string): string {
  const script = evalScript({ ...own, testPatch }, { before: [], install: ": from here", test: ": run" });
  execFileSync("bash", ["-c", script.slice(script.indexOf(": from here"))], { cwd, stdio: "pipe" });
  return execFileSync("git", ["status", "--porcelain"], { cwd, encoding: "utf8" });
}

function repository(): string {
  const cwd = mkdtempSync(join(tmpdir(), "forkgym-eval-"));
  mkdirSync(join(cwd, "t"));
  writeFileSync(join(cwd, "t", "b.py"), "old\n");
  writeFileSync(join(cwd, "src.py"), "x = 1\n");
  execFileSync("git", ["init", "-q"], { cwd });
  const commit = ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "base"];
  execFileSync("git", ["add", "-A"], { cwd });
  execFileSync("git", commit, { cwd });
  writeFileSync(join(cwd, "src.py"), "x = 2\n");
  return cwd;
}

test("a test patch of new files only leaves the model's edits alone, and its own file goes away again", () => {
  const cwd = repository();
  expect(run(cwd, TESTS)).toBe(" M src.py\n");
  expect(readFileSync(join(cwd, "src.py"), "utf8")).toBe("x = 2\n");
});

test("tests that the model wrote over are put back first, old and new ones", () => {
  const cwd = repository();
  writeFileSync(join(cwd, "t", "b.py"), "cheat\n");
  mkdirSync(join(cwd, "tests"));
  writeFileSync(join(cwd, "tests", "test_a.py"), "cheat\n");
  const seen = CHANGED + TESTS;
  const script = evalScript(
    { ...own, testPatch: seen },
    { before: [], install: ": from here", test: "cat t/b.py tests/test_a.py ; :" },
  );
  const printed = execFileSync("bash", ["-c", script.slice(script.indexOf(": from here"))], {
    cwd,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });
  expect(printed).toContain("expected\ndef test_a(): pass\n");
  expect(printed).not.toContain("cheat");
});

test("names are quoted, and a test patch that holds the end mark gets a longer one", () => {
  const patch = `${CHANGED.replaceAll("t/b.py", "t/it's $HOME.py")}+EOF\nEOF_114329324912\n`;
  const script = evalScript({ ...own, testPatch: patch }, { before: [], install: null, test: "pytest" });
  expect(script).toContain("git checkout HEAD -- 't/it'\\''s $HOME.py'\n");
  expect(script).toContain("<<'EOF_114329324912_'\n");
  expect(script).toContain("\nEOF_114329324912_\n: '>>>>> Start");
});

test("without a test patch nothing is reset and nothing applied", () => {
  const script = evalScript({ ...own, testPatch: "" }, { before: [], install: null, test: "pytest" });
  expect(script).not.toMatch(/checkout|rm -f|apply/);
  expect(script).toContain("\npytest\n");
});

test("SWE-smith runs the files of all expected tests once", () => {
  expect(smithScript("HEAD", ["t/a.py::x", "t/b c.py::y", "t/a.py::z"])).toBe(`#!/bin/bash
set -uxo pipefail
source /opt/miniconda3/bin/activate
conda activate testbed
cd /testbed
git config --global --add safe.directory /testbed
git checkout HEAD -- t/a.py 't/b c.py'
: '>>>>> Start Test Output'
pytest --disable-warnings --color=no --tb=no --verbose t/a.py 't/b c.py'
: '>>>>> End Test Output'
`);
  expect(smithScript("HEAD", ["TestThing"])).toBeNull();
  expect(smithScript("HEAD", ["--rootdir=/::x"])).toBeNull();
});

test.each([
  ["django/django", "1.6", "./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1", 0],
  ["django/django", "1.9", "./tests/runtests.py --verbosity 2", 4],
  ["django/django", "3.1", "./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1", 4],
  ["django/django", "5.2", "./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1", 0],
  ["astropy/astropy", "1.3", "pytest -rA -vv -o console_output_style=classic --tb=no", 0],
  ["astropy/astropy", "v5.3", "pytest -rA", 0],
  ["mwaskom/seaborn", "0.11", "pytest --no-header -rA", 0],
  ["matplotlib/matplotlib", "2.0", "pytest -rA", 0],
])("%s %s is tested with %s", (repo, version, command, before) => {
  expect(specOf(repo, version)?.test).toBe(command);
  expect(specOf(repo, version)?.before.length).toBe(before);
});

test("what is installed depends on the version where it did upstream", () => {
  const install = (repo: string, version: string) => specOf(repo, version)?.install;
  expect(install("matplotlib/matplotlib", "2.0")).toBe("python setup.py build; python setup.py install");
  expect(install("matplotlib/matplotlib", "3.7")).toBe("python -m pip install -e .");
  expect(install("matplotlib/matplotlib", "3.8")).toBe(
    'python -m pip install --no-build-isolation -e ".[dev]"',
  );
  expect(install("mwaskom/seaborn", "0.11")).toBe("python -m pip install -e .");
  expect(install("mwaskom/seaborn", "0.12")).toBe("python -m pip install -e .[dev]");
  expect(install("django/django", "2.2")).toBe("python setup.py install");
  expect(specOf("acme/lib", "1.0")).toBeUndefined();
});
