import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../../../core/sandbox/sandbox.ts";
import { within } from "../../../../../core/sandbox/wasmer/gnu/guard.ts";
import { createWasmerSandbox } from "../../../../../core/sandbox/wasmer/index.ts";
import { missing } from "../installed.ts";

test("work that never ends in one call is ended, and what an inner one holds up too", () => {
  const slow = (): boolean => /^(a+)+$/.test(`${"a".repeat(60)}b`);
  expect(within(20, slow)).toBeUndefined();
  expect(within(1000, () => within(20, slow))).toEqual({ value: undefined });
  expect(within(1000, () => 7)).toEqual({ value: 7 });
});

const reason = missing("just-bash");

describe.skipIf(reason)(`the sandbox's own commands${reason && ` (skipped: ${reason})`}`, () => {
  let box: Sandbox;
  beforeAll(async () => {
    const files = {
      latin: Buffer.from("\xe9 b\n", "latin1"),
      utf8: "é b\n",
      a: `${"a".repeat(60)}b\n`,
      "x y/z": "",
    };
    box = await createWasmerSandbox({ python: false, files });
  });
  afterAll(() => box.close());

  test.each([
    ["sed e utf8", 1, "sed: the command `e' is not in the sandbox's sed\n"],
    ["sed --debug p utf8", 1, "sed: unrecognized option '--debug'\n"],
    ["grep -P 'a++' utf8", 2, "grep: -P: ++ is not understood in the sandbox's grep\n"],
    ["grep -P '\\R' utf8", 2, "grep: -P: \\R is not understood in the sandbox's grep\n"],
    [
      "grep --color=always b utf8",
      2,
      "grep: --color=always is not in the sandbox's grep: there are no colours\n",
    ],
    ["ls -C", 2, "ls: invalid option -- 'C'\n"],
    ["diff -y a utf8", 2, "diff: invalid option -- 'y'\n"],
    ["sort -R utf8", 2, "sort: invalid option -- 'R'\n"],
    [
      "cut -c1-3 latin utf8",
      1,
      "cut: bytes that are not UTF-8 beside text that is cannot be told apart in the sandbox; use Python\n",
    ],
    [
      "for d in */; do echo $d; done",
      0,
      "bash: */: a folder with blanks in its name, 'x y', is left out; use find -type d\n",
    ],
  ])("%s says what it does not do", async (script, code, message) => {
    const { stderr, exitCode } = await box.exec(script);
    expect([stderr.text, exitCode]).toEqual([message, code]);
  });

  test("a regular expression that would take for ever ends at the time-out", async () => {
    const { timedOut, ms } = await box.exec("grep -E '^(a+)+$' a", { timeoutMs: 300 });
    expect([timedOut, ms < 2000]).toEqual([true, true]);
  });

  test("sed leaves a file as it was if its script is malformed", async () => {
    const { exitCode } = await box.exec("sed -i 's/b/c' utf8");
    expect([exitCode, Buffer.from(await box.readFile("utf8")).toString()]).toEqual([1, "é b\n"]);
  });
});
