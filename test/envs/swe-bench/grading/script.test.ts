import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { preparedScript, protectTests, recordExitCode } from "../../../../envs/swe-bench/grading/script.ts";
import { instanceWith } from "./rows.ts";

const BASE = "b".repeat(40);

const changed = (file: string) => `diff --git a/${file} b/${file}
--- a/${file}
+++ b/${file}
@@ -1 +1 @@
-base
+official
`;
const made = (file: string) => `diff --git a/${file} b/${file}
new file mode 100644
--- /dev/null
+++ b/${file}
@@ -0,0 +1 @@
+official
`;

/** An eval script as rows have it. */
function scriptOf(files: string, patch: string, base = BASE): string {
  return `#!/bin/bash
set -uxo pipefail
cd /testbed
git checkout ${base}${files}
git apply -v - <<'EOF_114329324912'
${patch}
EOF_114329324912
: '>>>>> Start Test Output'
pytest -rA tests/test_a.py
: '>>>>> End Test Output'
git checkout ${base}${files}
`;
}

describe("the exit code", () => {
  test("is taken right after the tests and logged after the end marker", () => {
    expect(recordExitCode(scriptOf(" tests/test_a.py", "x"))).toBe(`#!/bin/bash
set -uxo pipefail
cd /testbed
git checkout ${BASE} tests/test_a.py
git apply -v - <<'EOF_114329324912'
x
EOF_114329324912
: '>>>>> Start Test Output'
pytest -rA tests/test_a.py
SWEBENCH_TEST_EXIT_CODE=$?
: '>>>>> End Test Output'
echo ">>>>> Test Exit Code: $SWEBENCH_TEST_EXIT_CODE"
git checkout ${BASE} tests/test_a.py
`);
  });

  test("is not in a script without end marker, which gets its first lines and one newline", () => {
    expect(recordExitCode("\n\npytest\n\n")).toBe("#!/bin/bash\nset -uxo pipefail\npytest\n");
  });

  test("of a command that fails comes out under bash", () => {
    const script = recordExitCode(": '>>>>> Start Test Output'\n(exit 3)\n: '>>>>> End Test Output'\ntrue\n");
    const log = execFileSync("bash", ["-c", `exec 2>&1\n${script}`], { encoding: "utf8" });
    expect(log).toContain("\n>>>>> Test Exit Code: 3\n");
  });
});

describe("the files of the test patch", () => {
  const lines = (files: string, patch: string) =>
    protectTests(scriptOf(files, patch), patch)
      .split("\n")
      .filter((line) => /^(git checkout|rm)/.test(line));
  const putBack = (file: string) => `git checkout HEAD -- ${file} 2>/dev/null || rm -f -- ${file}`;

  test("are restored if they were there and removed if not, before and after the tests", () => {
    const patch = changed("tests/test_a.py") + made("tests/data/x.py");
    expect(lines(" tests/data/x.py tests/test_a.py", patch)).toEqual([
      `git checkout ${BASE} -- tests/test_a.py`,
      "rm -f -- tests/data/x.py",
      putBack("conftest.py"),
      putBack("tests/conftest.py"),
      putBack("tests/data/conftest.py"),
      `git checkout ${BASE} -- tests/test_a.py`,
      "rm -f -- tests/data/x.py",
    ]);
  });

  test("that are all new leave no bare checkout, which would reset the whole tree", () => {
    for (const files of ["", " tests/x.txt"]) {
      expect(lines(files, made("tests/x.txt"))).toEqual(["rm -f -- tests/x.txt", "rm -f -- tests/x.txt"]);
    }
  });

  test("that are renamed are restored under the old name and removed under the new one", () => {
    const patch =
      "diff --git a/t/old.txt b/t/new.txt\nsimilarity index 100%\nrename from t/old.txt\nrename to t/new.txt\n";
    expect(lines(" t/old.txt t/new.txt", patch).slice(0, 2)).toEqual([
      `git checkout ${BASE} -- t/old.txt`,
      "rm -f -- t/new.txt",
    ]);
  });

  test("and what else the script restores, and a conftest.py of the patch, which counts as a file of it", () => {
    const patch = changed("testing/conftest.py");
    expect(lines(" testing/conftest.py other.cfg", patch)).toEqual([
      `git checkout ${BASE} -- testing/conftest.py other.cfg`,
      putBack("conftest.py"),
      `git checkout ${BASE} -- testing/conftest.py other.cfg`,
    ]);
  });

  test("with blanks or quotes in their names are quoted", () => {
    expect(lines("", made("t/it's a.txt"))).toEqual([
      "rm -f -- 't/it'\\''s a.txt'",
      "rm -f -- 't/it'\\''s a.txt'",
    ]);
  });

  test("are no lines of the patch itself", () => {
    const patch = `${made("tests/x.sh").replace("+official", `+git checkout ${BASE}`)}`.replace(/\n$/, "");
    const script = scriptOf("", `${patch}\ngit checkout ${BASE} y`);
    expect(protectTests(script, patch)).toContain(`+git checkout ${BASE}\ngit checkout ${BASE} y\nEOF_`);
  });

  test("a script that resets nothing stays as it is", () => {
    expect(protectTests("pytest\n", changed("tests/test_a.py"))).toBe("pytest\n");
  });
});

describe("in a real repository, after a patch that tampers with the tests", () => {
  /** Runs the script up to the tests, after the model's files are written; returns a reader of the tree. */
  function afterScript(script: (base: string) => string, model: Readonly<Record<string, string>>) {
    const folder = mkdtempSync(join(tmpdir(), "forkgym-script-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const write = (files: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), `${text}\n`);
      }
    };
    const git = (...args: string[]) => {
      const identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
      return execFileSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8" }).trim();
    };
    git("init", "-q");
    write({
      "src.py": "base",
      "setup.cfg": "base",
      "tests/test_a.py": "base",
      "tests/sub/conftest.py": "base",
    });
    git("add", "-A");
    git("commit", "-qm", "base");
    const base = git("rev-parse", "HEAD");
    write({ "setup.cfg": "prepared" });
    git("commit", "-qam", "SWE-bench");
    write(model);
    const commands = script(base).replace("cd /testbed", "").split(": '>>>>> Start")[0]!;
    execFileSync("bash", ["-c", `${commands}\ntrue`], { cwd: folder, stdio: "ignore" });
    return (name: string) => {
      try {
        return readFileSync(join(folder, name), "utf8").trim();
      } catch {
        return undefined;
      }
    };
  }

  const patch = changed("tests/test_a.py") + made("tests/sub/test_new.py");
  const model = {
    "src.py": "model",
    "tests/test_a.py": "tampered",
    "tests/sub/test_new.py": "tampered",
    "conftest.py": "forged",
    "tests/sub/conftest.py": "forged",
  };
  const files = " tests/sub/test_new.py tests/test_a.py";

  test("the tests are the official ones, forged conftest files are gone and the model's own work is there", () => {
    const read = afterScript((base) => protectTests(scriptOf(files, patch, base), patch), model);
    expect(read("tests/test_a.py")).toBe("official");
    expect(read("tests/sub/test_new.py")).toBe("official");
    expect(read("conftest.py")).toBe(undefined);
    expect(read("tests/sub/conftest.py")).toBe("base");
    expect(read("src.py")).toBe("model");
    expect(read("setup.cfg")).toBe("prepared");
  });

  test("which they are not by the script of the row", () => {
    const read = afterScript((base) => scriptOf(files, patch, base), model);
    expect(read("tests/test_a.py")).toBe("tampered");
    expect(read("tests/sub/test_new.py")).toBe("tampered");
    expect(read("conftest.py")).toBe("forged");
  });
});

test("the script that is run protects the tests under both rule sets and logs the exit code under v5", () => {
  const testPatch = changed("tests/test_a.py");
  const evalScript = scriptOf(" tests/test_a.py", testPatch);
  const instance = instanceWith({ evalScript, testPatch });
  expect(preparedScript(instance, "v4.1")).toBe(protectTests(evalScript, testPatch));
  expect(preparedScript(instance, "v5")).toBe(recordExitCode(protectTests(evalScript, testPatch)));
  expect(preparedScript(instanceWith(), "v5")).toBe("");
});
