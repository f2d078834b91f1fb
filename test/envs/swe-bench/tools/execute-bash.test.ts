import { describe, expect, test } from "vitest";
import { scaffolds } from "../../../../envs/swe-bench/scaffolds.ts";
import { describeOnSandboxes, Hands } from "./workbench.ts";

describeOnSandboxes("execute_bash", (open) => {
  const { r2egym, sweagent } = scaffolds;
  const run = async (command: string, scaffold = r2egym, timeoutMs = 20_000) =>
    new Hands(scaffold, await open()).use("execute_bash", { cmd: command }, timeoutMs);

  test("gives the exit code and both streams apart, in R2E-Gym's form", async () => {
    expect(await run("echo out; echo err >&2")).toEqual({
      text: "Exit code: 0\nExecution output of [execute_bash]:\n[STDOUT]\n\nout \n\n[STDERR]\n\nerr\n",
      exitCode: 0,
    });
    expect(await run("echo out; exit 3")).toEqual({
      text: "Exit code: Error: Exit code 3\nExecution output of [execute_bash]:\nError executing command:\n\n[STDOUT]\n\nout \n\n[STDERR]\n\n\n",
      exitCode: 3,
    });
  });

  test("takes the white space off around each stream, and colours out of what went well", async () => {
    const red = "printf '\\n\\033[31mred\\033[0m\\r\\nline\\n\\n'";
    expect((await run(red)).text).toContain("[STDOUT]\n\nred\nline \n\n[STDERR]");
    expect((await run(`${red}; false`)).text).toContain("[STDOUT]\n\n\x1b[31mred\x1b[0m\nline \n\n[STDERR]");
  });

  test("takes the command from either parameter", async () => {
    const by = new Hands(sweagent, await open());
    expect((await by.use("execute_bash", { command: "echo a" })).text).toContain("\na \n");
    expect((await by.use("execute_bash", {})).text).toMatch(/parameter with the command is missing/);
  });

  const dashes = "-".repeat(50);
  const cut = `\n${dashes}\n<Observation truncated in middle for saving context>\n${dashes}\n`;

  test("80 lines stand, those around the streams with them; of 81 the middle is left out", async () => {
    const lines = (n: number) => `for i in $(seq ${n}); do echo line $i; done`;
    expect((await run(lines(74))).text).not.toContain("truncated");
    const { text } = await run(lines(75));
    expect(text).toContain(`\nline 38${cut}line 40\n`);
    expect(text.endsWith("\nline 75 \n\n[STDERR]\n\n")).toBe(true);
  });

  test("long lines are cut too", async () => {
    const { text } = await run("x=$(printf '%1000s' a); for i in $(seq 300); do printf '%s' \"$x\"; done");
    expect(text).toContain(cut);
    expect(text.length).toBeLessThan(20_300);
  });

  test("of a command that ran out of time that is all that is said", async () => {
    expect(await run("echo before; sleep 60", r2egym, 1500)).toEqual({
      text: "Exit code: -1\nExecution output of [execute_bash]:\nThe command took too long to execute (>1.5s)",
      exitCode: -1,
    });
  });

  test("bytes that are no text are replaced", async () => {
    const by = new Hands(r2egym, await open({ f: new Uint8Array([0x61, 0xff, 0x62, 0x0a]) }));
    // The shell of the Wasmer backend reads them as Latin-1.
    expect((await by.use("execute_bash", { cmd: "cat f" })).text).toMatch(/a[\ufffd\xff]b/);
  });

  test("pagers are off", async () => {
    expect((await run('echo "$PAGER $GIT_PAGER $MANPAGER"')).text).toContain("cat cat cat");
  });

  describe.each([r2egym, sweagent])("$name", (scaffold) => {
    test.each([
      ["git log --all", "git"],
      ["  nohup sleep 1 &", "nohup"],
      ["\nipython", "ipython"],
      ["jupyter notebook", "jupyter"],
    ])("refuses %j", async (command, word) => {
      expect(await run(command, scaffold)).toEqual({
        text: `Exit code: Error: Exit code 1\nExecution output of [execute_bash]:\n\`${word}\` is not allowed as the first word of a command.`,
        exitCode: 1,
      });
    });

    test.each([
      ["cd /testbed && cat README.md"],
      ["pip() { echo A project; }\npip"],
      ["echo A project # git"],
    ])("does not refuse %j", async (command) => {
      expect((await run(command, scaffold)).text).toContain("A project");
    });

    test("has a new shell in /testbed for each command; files last", async () => {
      const by = new Hands(scaffold, await open({ "sub/f": "" }));
      await by.use("execute_bash", { cmd: "cd sub; export NAME=value; echo kept > g" });
      const { text } = await by.use("execute_bash", { cmd: 'pwd; echo "[$NAME]"; cat sub/g' });
      expect(text).toContain("\n/testbed\n[]\nkept ");
    });
  });

  test.each([
    ["", /is empty/],
    [" \n", /is empty/],
    ["echo \0", /NUL/],
    ["echo '\ud83d'", /\ufffd/],
    ["if [", /Exit code: Error: Exit code 2\n/],
  ])("%j is a result, not an exception", async (command, message) => {
    expect((await run(command)).text).toMatch(message);
  });

  test("in a folder that was removed it runs in /, and says so", async () => {
    const by = new Hands(sweagent, await open());
    await by.use("execute_bash", { command: "cd / && rm -rf /testbed" });
    const { text, exitCode } = await by.use("execute_bash", { command: "pwd" });
    expect(exitCode).toBe(0);
    expect(text).toContain("\n/ \n");
    expect(text).toContain("\n[The folder /testbed is gone, so the command ran in /.]\n");
  });

  test("an abort passes through with its reason", async () => {
    const sandbox = await open();
    const reason = new Error("stop");
    const context = { sandbox, memory: {}, timeoutMs: 5000, signal: AbortSignal.abort(reason) };
    await expect(r2egym.tools.execute_bash!.run({ cmd: "echo" }, context)).rejects.toBe(reason);
  });
});
