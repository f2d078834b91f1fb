import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { createWasmerSandbox } from "../../../../core/sandbox/wasmer/index.ts";
import { missing } from "./installed.ts";

const reason = missing("just-bash");

describe.skipIf(reason)(`the shell${reason && ` (skipped: ${reason})`}`, () => {
  let box: Sandbox;
  beforeAll(async () => {
    box = await createWasmerSandbox({
      python: false,
      files: { "src/one.txt": "alpha\nbeta\n", "src/deep/two.txt": "beta\ngamma\n", "/etc/motd": "hi\n" },
      env: { EDITOR: "ed" },
    });
  });
  afterAll(() => box.close());

  test.each([
    ["cat src/one.txt /etc/motd", "alpha\nbeta\nhi\n"],
    ["grep -rn beta src | sort", "src/deep/two.txt:1:beta\nsrc/one.txt:2:beta\n"],
    ["sed -n 's/al/AL/p' src/one.txt; sed -i 's/x/y/' src/one.txt", "ALpha\n"],
    ["find . -name '*.txt' -type f | sort", "./src/deep/two.txt\n./src/one.txt\n"],
    ["find . -name '*.txt' | xargs cat | sort | uniq -c | head -1 | tr -s ' '", " 1 alpha\n"],
    ["which cat; ls /bin | grep -c '^kill$'; echo $EDITOR; pwd", "/usr/bin/cat\n1\ned\n/workspace\n"],
    ["cd src; ls; for f in deep/*; do echo $f; wc -l < $f; done", "deep\none.txt\ndeep/two.txt\n2\n"],
    ["cat > 'a b' <<'END'\n$x\nEND\ncat 'a b'; rm 'a b'; test -e 'a b' || echo gone", "$x\ngone\n"],
    ["mkdir -p d/e; cp -r src d; mv d/src d/e/moved; cat d/e/moved/deep/two.txt; rm -rf d", "beta\ngamma\n"],
    ["echo one > /dev/null; cat /dev/null; wc -c < /dev/null", "0\n"],
  ])("%s", async (script, expected) => {
    const { stdout, stderr, exitCode } = await box.exec(script);
    expect([stderr.text, exitCode, stdout.text]).toEqual(["", 0, expected]);
  });

  test.each([
    ["echo a >&2; echo b; echo c >&2", "a\nb\nc\n"],
    ["if cat absent; then :; else echo no; fi", "cat: absent: No such file or directory\nno\n"],
    ["(echo s >&2; echo t); { echo g >&2; echo h; }", "s\nt\ng\nh\n"],
    [
      "for i in 1 2; do no-such; echo $i; done",
      "bash: no-such: command not found\n1\nbash: no-such: command not found\n2\n",
    ],
    ["x=$(no-such 2>/dev/null; echo q); echo [$x]; cat absent 2>/dev/null; echo e 1>&2", "[q]\ne\n"],
    ["case x in x) echo a >&2; echo b;; esac", "a\nb\n"],
  ])("merges the streams in the order written: %s", async (script, expected) => {
    const { stdout, stderr } = await box.exec(script, { merge: true });
    expect([stdout.text, stderr.text]).toEqual([expected, ""]);
  });

  test("ends a loop that never waits at its time-out", async () => {
    const { timedOut, exitCode, ms } = await box.exec("while :; do :; done", { timeoutMs: 300 });
    expect([timedOut, exitCode]).toEqual([true, 137]);
    expect(ms).toBeLessThan(2000);
  });

  test("lets others have a turn while it works through many files", async () => {
    const files = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, "x\n".repeat(200)]));
    const many = await createWasmerSandbox({ python: false, files });
    let numTurns = 0;
    const timer = setInterval(() => numTurns++, 1);
    await many.exec("grep -c x * | sort | tail -1; grep -c x * | tail -1");
    clearInterval(timer);
    expect(numTurns).toBeGreaterThan(1);
    await many.close();
  });

  test("is not given with a folder that is no absolute path, or a command's name that is none", async () => {
    await expect(createWasmerSandbox({ python: false, cwd: "rel" })).rejects.toThrow(InputError);
    await expect(createWasmerSandbox({ python: false, programs: { "a b": "x/y" } })).rejects.toThrow(
      InputError,
    );
  });
});
