import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inTicks, parseMiniReply } from "../../../../envs/swe-bench/dialogues/mini-parse.ts";

const tagged = (command: string) => `<mswea_bash_command>${command}</mswea_bash_command>`;

describe("a reply's command", () => {
  test.each([
    ["in backticks", `I look.\n\n${inTicks("ls -la")}\nThen I see.`, "ls -la"],
    ["in tags", `I look. ${tagged("ls -la")}`, "ls -la"],
    ["of several lines", inTicks("cat <<EOF > a\nx\nEOF"), "cat <<EOF > a\nx\nEOF"],
    ["with white space around it", inTicks("\n\n  ls  \n"), "ls"],
    ["with white space after the opening", "```mswea_bash_command \t\nls\n```", "ls"],
    ["with other fences around it", "```bash\nnot this\n```\n```mswea_bash_command\nls\n```\n", "ls"],
    ["with backticks in a line of it", inTicks("echo ```x```"), "echo ```x```"],
    ["with tags inside of backticks", inTicks(`echo '${tagged("x")}'`), `echo '${tagged("x")}'`],
    ["with backticks inside of tags", tagged(`echo '${inTicks("x")}'`), `echo '${inTicks("x")}'`],
    ["with an opening that never closes after it", `${inTicks("ls")} <mswea_bash_command>`, "ls"],
    ["with an opening that never closes before it", `<mswea_bash_command> ${inTicks("ls")}`, "ls"],
    ["empty", tagged(""), ""],
  ])("%s", (_, reply, command) => {
    expect(parseMiniReply(reply)).toEqual({ tool: "bash", arguments: { command } });
  });

  test.each([
    ["nothing", "", "no command"],
    ["another fence", "```bash\nls\n```", "no command"],
    ["a fence with more on its first line", "```mswea_bash_command ls\n```", "no command"],
    ["a fence that is not closed", "```mswea_bash_command\nls", "no command"],
    ["a tag that is not closed", "<mswea_bash_command>ls", "no command"],
    ["two in backticks", `${inTicks("ls")}\n${inTicks("pwd")}`, "2 commands"],
    ["two in tags", tagged("ls") + tagged("pwd"), "2 commands"],
    ["one of each", `${tagged("ls")}\n${inTicks("pwd")}`, "2 commands"],
  ])("%s is an invalid reply", (_, reply, count) => {
    expect(parseMiniReply(reply)).toEqual({
      invalid: expect.stringContaining(`held ${count}, so nothing was run`),
    });
  });
});

const pieces = [
  "```",
  "mswea_bash_command",
  "```mswea_bash_command\n",
  "\n```",
  "\n",
  " ",
  "<mswea_bash_command>",
  "</mswea_bash_command>",
  "<",
  "ls",
  "\ud83d",
  "\u{1f600}",
];

test("any reply is one command or an invalid reply", () => {
  const nearMiss = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(""));
  let commands = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: nearMiss }, fc.string({ unit: "binary" })), (reply) => {
      const action = parseMiniReply(reply);
      if ("invalid" in action) return action.invalid.length > 0;
      commands++;
      return action.tool === "bash" && reply.includes(action.arguments.command!);
    }),
    { numRuns: 10_000 },
  );
  expect(commands).toBeGreaterThan(500);
});

test("a command is read back as it was meant in either form, whatever it is but what ends it", () => {
  const command = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 })
    .map((parts) => parts.join("").trim());
  fc.assert(
    fc.property(command, (text) => {
      const expected = { tool: "bash", arguments: { command: text } };
      if (!`${text}\n`.includes("\n```") && !text.startsWith("```"))
        expect(parseMiniReply(inTicks(text))).toEqual(expected);
      if (!text.includes("</mswea_bash_command>"))
        expect(parseMiniReply(`So: ${tagged(text)}`)).toEqual(expected);
    }),
    { numRuns: 10_000 },
  );
});

test.each([
  ["fences that never close", "```mswea_bash_command\n".repeat(100_000)],
  ["tags that never close", "<mswea_bash_command>".repeat(100_000)],
  ["both, in turn", "```mswea_bash_command\n<mswea_bash_command>".repeat(50_000)],
  ["white space after the opening", `\`\`\`mswea_bash_command${" ".repeat(2_000_000)}`],
  ["commands", tagged("ls").repeat(50_000)],
])("two megabytes of %s take no time", (_, reply) => {
  const startMs = performance.now();
  parseMiniReply(reply);
  expect(performance.now() - startMs).toBeLessThan(1500);
});
