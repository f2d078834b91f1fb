import { describe, expect, test } from "vitest";
import { scaffolds } from "../../../../envs/swe-bench/scaffolds.ts";
import { describeOnSandboxes, Hands } from "./workbench.ts";

describeOnSandboxes("execute_bash", (open) => {
  const { r2egym, sweagent } = scaffolds;
  const run = async (command: string, scaffold = r2egym, timeoutMs = 20_000) =>
    new Hands(scaffold, await open()).use("execute_bash", { cmd: command }, timeoutMs);

  test("gives the exit code and both streams in order", async () => {
    expect(await run("echo out; echo err >&2; exit 3")).toEqual({
      text: "Exit code: 3\nExecution output of [execute_bash]:\nout\nerr\n",
      exitCode: 3,
    });
  });

  test("takes the command from either parameter", async () => {
    const by = new Hands(sweagent, await open());
    expect((await by.use("execute_bash", { command: "echo a" })).text).toContain("\na\n");
    expect((await by.use("execute_bash", {})).text).toMatch(/parameter with the command is missing/);
  });

  test("80 lines stand, of 81 the middle is left out", async () => {
    const lines = (n: number) => `for i in $(seq ${n}); do echo line $i; done`;
    expect((await run(lines(80))).text).not.toContain("left out");
    const { text } = await run(lines(81));
    expect(text).toContain(
      "\nline 40\n----- The middle of the output (1 lines) was left out to save context. -----\nline 42\n",
    );
    expect(text.endsWith("line 81")).toBe(true);
  });

  test("long lines are cut too, at a time-out as well", async () => {
    const long = "x=$(printf '%1000s' a); for i in $(seq 300); do printf '%s' \"$x\"; done";
    expect((await run(long)).text.length).toBeLessThan(20_300);
    const { text } = await run(`${long}; sleep 60`, r2egym, 3000);
    expect(text).toMatch(/^Exit code: -1\n/);
    expect(text.length).toBeLessThan(20_500);
  });

  test("a time-out gives the output so far and says so", async () => {
    const result = await run("echo before; sleep 60", r2egym, 1500);
    expect(result.exitCode).toBe(-1);
    expect(result.text).toMatch(
      /^Exit code: -1\nExecution output of \[execute_bash\]:\nbefore\n\[The command took too long \(over 1\.5 s\)/,
    );
  });

  test("bytes that are no text are replaced", async () => {
    const by = new Hands(r2egym, await open({ f: new Uint8Array([0x61, 0xff, 0x62, 0x0a]) }));
    expect((await by.use("execute_bash", { cmd: "cat f" })).text).toContain("a\ufffdb");
  });

  test("pagers are off", async () => {
    expect((await run('echo "$PAGER $GIT_PAGER $MANPAGER"')).text).toContain("cat cat cat");
  });

  test.each([
    ["r2egym", "cd sub && ls", "cd"],
    ["r2egym", "  pip install x", "pip"],
    ["r2egym", "nohup sleep 1 &", "nohup"],
    ["sweagent", "git log --all", "git"],
    ["sweagent", "\nipython", "ipython"],
    ["sweagent", "jupyter notebook", "jupyter"],
  ] as const)("%s refuses %j", async (name, command, word) => {
    const { text, exitCode } = await run(command, scaffolds[name]);
    expect(text).toBe(
      `Execution output of [execute_bash]:\nERROR: \`${word}\` is not allowed as the first word of a command.`,
    );
    expect(exitCode).toBeNull();
  });

  test.each([["cdecho"], ["echo cd"]])("%j is not refused", async (command) => {
    expect((await run(command)).exitCode).not.toBeNull();
  });

  test.each([
    ["", /is empty/],
    [" \n", /is empty/],
    ["echo \0", /NUL/],
    ["echo '\ud83d'", /\ufffd/],
    ["if [", /Exit code: 2\n/],
  ])("%j is a result, not an exception", async (command, message) => {
    expect((await run(command)).text).toMatch(message);
  });

  describe("shell state", () => {
    test("of sweagent lasts, and a fork has it", async () => {
      const by = new Hands(sweagent, await open({ "sub/f": "" }));
      await by.use("execute_bash", { command: "cd sub; export NAME=value" });
      const snapshot = await by.sandbox.snapshot();
      const fork = await by.sandbox.fork(snapshot);
      const { text } = await new Hands(sweagent, fork).use("execute_bash", { command: 'pwd; echo "$NAME"' });
      expect(text).toContain("/testbed/sub\nvalue\n");
      await fork.close();
      await by.sandbox.release(snapshot);
    });

    test("of r2egym does not", async () => {
      const by = new Hands(r2egym, await open({ "sub/f": "" }));
      await by.use("execute_bash", { cmd: "true; cd sub; export NAME=value" });
      const { text } = await by.use("execute_bash", { cmd: 'pwd; echo "[$NAME]"' });
      expect(text).toContain("/testbed\n[]\n");
    });

    test("in a folder that was removed goes on in /, and says so", async () => {
      const by = new Hands(sweagent, await open({ "sub/f": "" }));
      await by.use("execute_bash", { command: "cd sub" });
      await by.use("execute_bash", { command: "rm -rf /testbed/sub" });
      const { text, exitCode } = await by.use("execute_bash", { command: "pwd" });
      expect(exitCode).toBe(0);
      expect(text).toContain("\n/\n[The folder /testbed/sub is gone, so the command ran in /.]");
      expect((await by.use("execute_bash", { command: "cd /testbed; pwd" })).text).toContain("\n/testbed\n");
      expect((await by.use("execute_bash", { command: "pwd" })).text).toContain("\n/testbed\n");
    });
  });

  test("an abort passes through with its reason", async () => {
    const sandbox = await open();
    const reason = new Error("stop");
    const context = { sandbox, memory: {}, timeoutMs: 5000, signal: AbortSignal.abort(reason) };
    await expect(r2egym.tools.execute_bash!.run({ cmd: "echo" }, context)).rejects.toBe(reason);
  });
});
