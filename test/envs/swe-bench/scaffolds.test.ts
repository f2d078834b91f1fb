import { expect, test } from "vitest";
import { scaffolds, unknownTool } from "../../../envs/swe-bench/scaffolds.ts";
import { describeOnSandboxes, Hands } from "./tools/workbench.ts";

test("tools, time limits and turns are those of the field", () => {
  const table = Object.values(scaffolds).map(({ name, tools, timeoutMs, turns }) => [
    name,
    Object.keys(tools).join(" "),
    timeoutMs,
    turns,
  ]);
  expect(table).toEqual([
    ["r2egym", "file_editor search execute_bash finish", 90_000, 50],
    ["sweagent", "execute_bash str_replace_editor submit", 90_000, 50],
    ["mini", "bash", 60_000, 250],
  ]);
});

test("an unknown tool is told of with those that there are", () => {
  expect(unknownTool(scaffolds.sweagent, "grep")).toBe(
    'There is no function "grep", so nothing was done. These are there: execute_bash, str_replace_editor, submit.',
  );
  expect(unknownTool(scaffolds.mini, "x".repeat(1000)).length).toBeLessThan(250);
});

test("what every object has is no tool", () => {
  for (const { tools } of Object.values(scaffolds)) expect(tools.constructor).toBeUndefined();
});

describeOnSandboxes("finishing", (open) => {
  test.each([
    ["r2egym", "finish", { command: "submit" }],
    ["r2egym", "finish", {}],
    ["sweagent", "submit", {}],
  ] as const)("%s: %s %j", async (name, tool, args) => {
    const result = await new Hands(scaffolds[name], await open()).use(tool, args);
    expect(result).toEqual({ text: "<<< Finished >>>", exitCode: null, submitted: true });
  });

  test("a reply of r2egym goes through parser and tools to the repaired file", async () => {
    const by = new Hands(
      scaffolds.r2egym,
      await open({ "a.py": "def f(x):\n    if x < 1:\n        return '</b>'\n" }),
    );
    const reply = `The comparison is wrong.
<function=file_editor>
<parameter=command>str_replace</parameter>
<parameter=path>/testbed/a.py</parameter>
<parameter=old_str>
    if x < 1:
        return '</b>'
</parameter>
<parameter=new_str>
    if x <= 1:
        return '</i>'
</parameter>
</function>`;
    const action = by.scaffold.dialogue.parse(reply);
    if ("invalid" in action) throw new Error(action.invalid);
    await by.use(action.tool, action.arguments);
    expect(await by.text("/testbed/a.py")).toBe("def f(x):\n    if x <= 1:\n        return '</i>'\n");
  });
});
