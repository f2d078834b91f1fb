import { expect, test } from "vitest";
import { pythonArgs } from "../../../../../core/sandbox/wasmer/engine/python-args.ts";

test.each([
  [
    ["main.py", "-x", "rel"],
    ["/project/main.py", "-x", "rel"],
  ],
  [["/abs/main.py"], ["/abs/main.py"]],
  [
    ["-u", "-W", "ignore", "../a.py", "one"],
    ["-u", "-W", "ignore", "/a.py", "one"],
  ],
  [
    ["-Wignore", "a.py"],
    ["-Wignore", "/project/a.py"],
  ],
  [
    ["-c", "print(1)", "a.py"],
    ["-c", "print(1)", "a.py"],
  ],
  [
    ["-m", "unittest", "a.py"],
    ["-m", "unittest", "a.py"],
  ],
  [
    ["-um", "unittest"],
    ["-um", "unittest"],
  ],
  [["--version"], ["--version"]],
  [["-V"], ["-V"]],
])("%j from /project is %j", (args, expected) => {
  expect(pythonArgs(args, "/project")).toEqual(expected);
});

test.each([[[]], [["-"]], [["-u", "-", "one"]]])("%j reads its program from the input", (args: string[]) => {
  const given = pythonArgs(args, "/project");
  expect(given).toContain("-c");
  expect(given).not.toContain("-");
  expect(given.at(-1)).toBe(args.includes("one") ? "one" : given[given.indexOf("-c") + 1]);
});
