import { test } from "vitest";
import { createWasmerSandbox } from "../../../../core/sandbox/wasmer/index.ts";
import { testSandbox } from "../../../contracts/sandbox-contract.ts";
import { missing } from "./installed.ts";

const NO_ZERO = "there is no /dev/zero: the shell reads files whole";
const NO_BACKGROUND = "the shell runs `command &` in the foreground, so the script goes on after it";
const NO_MODES_IN_LS =
  "the shell's `ls -l` shows every file as -rw-r--r--; `stat` shows the mode: see files.test.ts";
const NO_TOOL = "the shell does not have that command";

const reason = missing("just-bash");

if (reason) test.skip(`the Sandbox contract (skipped: ${reason})`, () => {});
else {
  testSandbox({
    make: () => createWasmerSandbox({ python: false }),
    skip: {
      "bytes that are no UTF-8 come out as they are, NULs too":
        "the shell's `printf` writes text; bytes in files and of programs are kept",
      "a large output is cut in flat memory": NO_ZERO,
      "an output without an end is cut at the time-out": NO_ZERO,
      "output comes whole although the command ends at once": NO_ZERO,
      "a time-out kills a child that left the session (needs setsid)": NO_TOOL,
      "a time-out kills a child that left the session and dropped its variables (needs setsid)": NO_TOOL,
      "a command is over when it ends, although a child holds the pipe": NO_BACKGROUND,
      "background processes outlive their command exactly if the flags say so": NO_BACKGROUND,
      "processes do not cross a fork": NO_BACKGROUND,
      "writing makes missing folders and keeps the mode of a file that is there": NO_MODES_IN_LS,
      "an archive brings folders, modes and links": NO_MODES_IN_LS,
      "modes, owners and times cross a fork": NO_MODES_IN_LS,
      "reading what is no regular file is a FileError and does not wait (needs mkfifo)": NO_TOOL,
      "hard links cross a fork": "there are no hard links: `ln` makes a copy",
      "names that are no UTF-8 and dangling links do not break a snapshot":
        "names are text, and the shell's `ls` does not show a dangling link that it is named",
    },
  });
}
