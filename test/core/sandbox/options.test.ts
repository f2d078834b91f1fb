import { expect, test } from "vitest";
import { InputError } from "../../../core/errors.ts";
import { checkExec, EXEC_DEFAULTS } from "../../../core/sandbox/options.ts";
import type { Command, ExecOptions } from "../../../core/sandbox/sandbox.ts";

const good: [Command, ExecOptions][] = [
  [["ls"], {}],
  [["printf", "", "a b", "\n"], { cwd: "", stdin: "", merge: true }],
  ["", {}],
  ["cd x", { keepShell: true, timeoutMs: 1, outputBytes: 0 }],
  [["ls"], { keepShell: false, env: {} }],
  [["env"], { env: { A: "", B: "a=b\n", "odd name": "x" } }],
  [["cat"], { stdin: "\0" }],
  ["ls", EXEC_DEFAULTS],
];
test.each(good)("%j with %j is taken", (command, options) => {
  expect(() => checkExec(command, options)).not.toThrow();
});

const bad: [Command, ExecOptions, string][] = [
  [[], {}, "sandbox: expected an argv with a program, got an empty one"],
  [["", "x"], {}, "sandbox: expected an argv with a program, got an empty one"],
  [["ls"], { keepShell: true }, "sandbox: `keepShell` needs a script, got an argv"],
  [["ls", "a\0"], {}, "sandbox: a command cannot hold a NUL byte"],
  ["echo \0", {}, "sandbox: a command cannot hold a NUL byte"],
  ["ls", { timeoutMs: 0 }, "sandbox: expected `timeoutMs` to be a whole number from 1 up, got 0"],
  ["ls", { timeoutMs: -1 }, "`timeoutMs` to be a whole number from 1 up, got -1"],
  ["ls", { timeoutMs: Number.POSITIVE_INFINITY }, "got Infinity"],
  ["ls", { timeoutMs: Number.NaN }, "got NaN"],
  ["ls", { outputBytes: -1 }, "sandbox: expected `outputBytes` to be a whole number from 0 up, got -1"],
  ["ls", { outputBytes: 1.5 }, "got 1.5"],
  ["ls", { env: { "": "x" } }, 'got ""'],
  ["ls", { env: { "A=B": "x" } }, 'got "A=B"'],
  ["ls", { env: { FINE: "x", "A\0": "x" } }, 'got "A\\u0000"'],
  ["ls", { env: { A: "x\0" } }, 'got "A"'],
];
test.each(bad)("%j with %j is an InputError: %s", (command, options, told) => {
  expect(() => checkExec(command, options)).toThrow(InputError);
  expect(() => checkExec(command, options)).toThrow(told);
});
