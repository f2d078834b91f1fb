import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applied, insertAfter, linesOf, plain, replaceOnce } from "../../../../envs/swe-bench/tools/edit.ts";
import { AgentMistake } from "../../../../envs/swe-bench/tools/tool.ts";

function replaced(text: string, old: string, fresh: string): string {
  return applied(text, replaceOnce(text, old, fresh));
}

function inserted(text: string, line: number, fresh: string): string {
  return applied(text, insertAfter(text, line, fresh));
}

/** Text of few letters, so that parts of it come again, with both kinds of line end. */
const text = fc
  .array(fc.constantFrom("a", "b", " ", "\n", "\r\n", "\u{1f600}", "\u{1f601}", "\u{1fa00}"), {
    maxLength: 30,
  })
  .map((parts) => parts.join(""));

describe("replaceOnce", () => {
  test.each([
    ["one word", "a b c", "b", "x", "a x c"],
    ["nothing in its place", "a b c", " b", "", "a c"],
    ["several lines", "a\nb\nc\n", "b\nc", "x\ny", "a\nx\ny\n"],
    ["line ends of the file are kept", "a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n"],
    [
      "a lone line end of the other kind is kept",
      "a\r\nb\nc\r\nd\r\n",
      "a\nb\nc",
      "a\nb\nx",
      "a\r\nb\nx\r\nd\r\n",
    ],
    ["line ends that the agent wrote as in the file", "a\r\nb\r\n", "a\r\nb", "a\r\nx", "a\r\nx\r\n"],
    ["a file without a final newline stays so", "a\nb", "b", "x", "a\nx"],
    ["what only white space sets apart", "  f(1)\n    f(1)\n", "    f(1)", "    f(2)", "  f(1)\n    f(2)\n"],
    ["white space around it that is not there", "if x:\n  y\n", "\n  y\n\n", "\n  z\n\n", "if x:\n  z\n"],
    ["dollar signs mean nothing", "a", "a", "$& $1 $$", "$& $1 $$"],
    ["half of a character becomes a replacement character", "a", "a", "\ud83d", "\ufffd"],
    ["characters of two units that begin alike", "\u{1f600}", "\u{1f600}", "\u{1f601}", "\u{1f601}"],
  ])("%s", (_, before, old, fresh, after) => {
    expect(replaced(before, old, fresh)).toBe(after);
  });

  test.each([
    ["no match", "a\nb\n", "c", "x", /was not found/],
    ["two matches, with their lines", "a\nb\na\n", "a", "x", /stands in 2 places \(lines 1, 3\)/],
    ["many matches name twenty lines", "a\n".repeat(30), "a", "x", /30 places \(lines 1, 2, .* 20, \.\.\.\)/],
    [
      "several matches without the white space",
      "a\nb a\n",
      "  a  ",
      "x",
      /Without the white space.* 2 places \(lines 1, 2\)/,
    ],
    ["nothing to look for", "a", "", "x", /`old_str` is empty/],
    ["white space alone that is not there", "a", "\n\n", "x", /was not found/],
    ["the same text", "a", "a", "a", /are the same/],
  ])("%s is refused", (_, before, old, fresh, message) => {
    expect(() => replaceOnce(before, old, fresh)).toThrow(AgentMistake);
    expect(() => replaceOnce(before, old, fresh)).toThrow(message);
  });

  test("what it does is what a replacement in the plain text does, and no byte outside of it changes", () => {
    fc.assert(
      fc.property(text, text, text, text, (ahead, old, behind, fresh) => {
        const before = ahead + old + behind;
        fc.pre(
          plain(old) !== "" && plain(before).split(plain(old)).length === 2 && plain(old) !== plain(fresh),
        );
        const edit = replaceOnce(before, old, fresh);
        const after = applied(before, edit);
        expect(plain(after)).toBe(plain(before).split(plain(old)).join(plain(fresh)));
        expect(before.slice(edit.at, edit.at + edit.removed.length)).toBe(edit.removed);
        for (const part of [edit.removed, edit.added]) expect(Buffer.from(part).toString()).toBe(part);
        const start = plain(before).indexOf(plain(old));
        expect(plain(before.slice(0, edit.at)).length).toBeGreaterThanOrEqual(start);
      }),
      { numRuns: 1000 },
    );
  });

  test("a megabyte of near misses takes no time", () => {
    const startMs = performance.now();
    expect(() => replaceOnce("a".repeat(1_000_000), `${"a".repeat(5000)}b`, "x")).toThrow(/not found/);
    expect(performance.now() - startMs).toBeLessThan(2000);
  });
});

describe("insertAfter", () => {
  test.each([
    ["at the top", "a\nb\n", 0, "x", "x\na\nb\n"],
    ["in the middle", "a\nb\n", 1, "x\ny", "a\nx\ny\nb\n"],
    ["a final newline of the text is not a line", "a\nb\n", 1, "x\n", "a\nx\nb\n"],
    ["at the end", "a\nb\n", 2, "x", "a\nb\nx\n"],
    ["at an end without a newline", "a\nb", 2, "x", "a\nb\nx"],
    ["before a last line without a newline", "a\nb", 1, "x", "a\nx\nb"],
    ["into an empty file", "", 0, "x", "x\n"],
    ["an empty line", "a\n", 1, "", "a\n\n"],
    ["with the line ends of the file", "a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n"],
    ["at an end without a newline, with the line ends of the file", "a\r\nb", 2, "x", "a\r\nb\r\nx"],
  ])("%s", (_, before, line, fresh, after) => {
    expect(inserted(before, line, fresh)).toBe(after);
  });

  test("after a line that is not there it is refused", () => {
    expect(() => insertAfter("a\nb\n", 3, "x")).toThrow(/is 3, but the file has 2 lines/);
  });

  test("the lines are those of before with the new ones between", () => {
    fc.assert(
      fc.property(text, fc.nat(), text, (before, pick, fresh) => {
        const lines = linesOf(before);
        const line = pick % (lines.length + 1);
        const after = linesOf(inserted(before, line, fresh));
        const added = plain(fresh).replace(/\n$/, "").split("\n");
        const expected = [...lines.slice(0, line), ...added, ...lines.slice(line)];
        // An empty last line in a file without a final newline is the end of the one before.
        if (expected.at(-1) === "" && after.length === expected.length - 1) expected.pop();
        expect(after).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});
