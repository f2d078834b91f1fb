import { describe, expect, test } from "vitest";
import { scaffolds } from "../../../../envs/swe-bench/scaffolds.ts";
import { describeOnSandboxes, Hands } from "./workbench.ts";

describeOnSandboxes("mini's bash", (open) => {
  const run = async (command: string, timeoutMs = 20_000) =>
    new Hands(scaffolds.mini, await open()).use("bash", { command }, timeoutMs);

  test("answers with the return code and the output, both streams in order", async () => {
    expect(await run("echo out; echo err >&2; (exit 4)")).toEqual({
      text: "<returncode>4</returncode>\n<output>\nout\nerr\n</output>",
      exitCode: 4,
    });
  });

  test("an output of 9,999 characters stands, one of 10,000 is shown by its ends", async () => {
    const { text: whole } = await run("printf '%9999s' x");
    expect(whole).not.toContain("elided");
    const { text: cut } = await run("printf '%10000s' x");
    expect(cut).toContain("<elided_chars>0 characters elided</elided_chars>");
    const { text } = await run("printf 'a%9998sb' x; printf '%3001s' z");
    expect(text).toContain(`<output_head>\na${" ".repeat(4999)}\n</output_head>`);
    expect(text).toContain("<elided_chars>3001 characters elided</elided_chars>");
    expect(text).toMatch(/ z\n<\/output_tail>$/);
  });

  test("an output beyond what is captured counts what was never kept", async () => {
    const { text } = await run("x=$(printf '%1000s' a); for i in $(seq 300); do printf '%s' \"$x\"; done");
    expect(text).toContain("<elided_chars>290000 characters elided</elided_chars>");
  });

  test("a time-out gives the output so far, as an exception", async () => {
    const { text, exitCode } = await run("echo before; sleep 60", 1500);
    expect(text).toMatch(
      /^<exception>\[The command took too long \(over 1\.5 s\).*<\/exception>\n<returncode>-1<\/returncode>\n<output>\nbefore\n/,
    );
    expect(exitCode).toBe(-1);
  });

  test("nothing lasts from one command to the next but files", async () => {
    const by = new Hands(scaffolds.mini, await open());
    await by.use("bash", { command: "cd /; X=1; echo kept > /testbed/f" });
    const { text } = await by.use("bash", { command: 'pwd; echo "[$X]"; cat f' });
    expect(text).toContain("/testbed\n[]\nkept\n");
  });

  describe("submitting", () => {
    const MAGIC = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";

    test.each([
      ["the line", `echo ${MAGIC}`],
      ["the line and a patch after it", `echo ${MAGIC} && echo patch`],
      ["the line after blank ones, with blanks around it", `echo; echo '  ${MAGIC}  '`],
    ])("by %s", async (_, command) => {
      expect((await run(command)).submitted).toBe(true);
    });

    test.each([
      ["what is below the line", `echo ${MAGIC} && printf 'a\\r\\n\\nb'`, { submission: "a\r\n\nb" }],
      [
        "all of it, if it is long",
        `echo ${MAGIC}; printf '%300000s' x`,
        { submission: `${" ".repeat(299_999)}x` },
      ],
      ["nothing, if that is blank", `echo ${MAGIC}; echo; echo ' '`, {}],
    ])("hands in %s", async (_, command, handedIn) => {
      const { text: _text, exitCode: _code, ...rest } = await run(command);
      expect(rest).toEqual({ submitted: true, ...handedIn });
    });

    test("hands in nothing whole where the output was cut", async () => {
      const by = new Hands(scaffolds.mini, await open());
      await by.use("bash", {
        command: "printf 'echo %s_%s\\n' COMPLETE_TASK_AND SUBMIT_FINAL_OUTPUT > s.sh",
      });
      await by.use("bash", { command: "echo 'seq 100000' >> s.sh" });
      expect(await by.use("bash", { command: "bash s.sh" })).toMatchObject({
        submitted: true,
        submission: null,
      });
    });

    test.each([
      ["a later line", `echo a; echo ${MAGIC}`],
      ["a line with more on it", `echo ${MAGIC} now`],
      ["a command that fails", `echo ${MAGIC}; exit 1`],
      ["nothing", "true"],
    ])("not by %s", async (_, command) => {
      expect((await run(command)).submitted).toBeUndefined();
    });
  });

  test.each([
    ["", /The command is empty/],
    ["a\0", /NUL/],
  ])("%j is a result, not an exception", async (command, message) => {
    const { text, exitCode } = await run(command);
    expect(text).toMatch(message);
    expect(exitCode).toBeNull();
  });

  test("no command is a result too", async () => {
    const { text } = await new Hands(scaffolds.mini, await open()).use("bash", {});
    expect(text).toMatch(/`command` is missing/);
  });
});
