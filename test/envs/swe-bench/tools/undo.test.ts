import { describe, expect, test } from "vitest";
import { applied, replaceOnce } from "../../../../envs/swe-bench/tools/edit.ts";
import { remember, takeBack, UNDO_LIMITS } from "../../../../envs/swe-bench/tools/undo.ts";
import type { ToolMemory } from "../../../../envs/swe-bench/types.ts";

/** Replaces a part of the text and remembers it. */
function edited(memory: ToolMemory, path: string, text: string, old: string, fresh: string) {
  const edit = replaceOnce(text, old, fresh);
  const now = applied(text, edit);
  return { memory: remember(memory, path, edit, now), text: now };
}

describe("undo", () => {
  test("edits are taken back one by one, the last first, through JSON", () => {
    const one = edited({}, "/a", "x\r\ny", "x", "longer");
    const two = edited(one.memory, "/a", one.text, "y", "");
    const memory = JSON.parse(JSON.stringify(two.memory)) as ToolMemory;
    const first = takeBack(memory, "/a", two.text);
    expect(first.text).toBe("longer\r\ny");
    const second = takeBack(first.memory, "/a", first.text!);
    expect(second.text).toBe("x\r\ny");
    expect(() => takeBack(second.memory, "/a", second.text!)).toThrow(/There is no edit of \/a/);
  });

  test("each file has its own edits", () => {
    const one = edited({}, "/a", "x", "x", "y");
    const two = edited(one.memory, "/b", "x", "x", "z");
    expect(takeBack(two.memory, "/a", "y").text).toBe("x");
    expect(takeBack(two.memory, "/b", "z").text).toBe("x");
  });

  test("a file that changed since is refused", () => {
    const { memory } = edited({}, "/a", "x", "x", "y");
    expect(() => takeBack(memory, "/a", "y, and more")).toThrow(/changed by something else/);
  });

  test("the creation of a file has no text before it", () => {
    const memory = remember({}, "/a", { at: 0, removed: "", added: "x" }, "x", true);
    expect(takeBack(memory, "/a", "x").text).toBeUndefined();
  });

  test("of one file the last edits are kept, and another's are not pushed out", () => {
    let at = edited({}, "/other", "x", "x", "y");
    at = { memory: at.memory, text: "0" };
    for (let n = 0; n < UNDO_LIMITS.editsPerFile + 5; n++)
      at = edited(at.memory, "/a", at.text, String(n), String(n + 1));
    for (let n = 0; n < UNDO_LIMITS.editsPerFile; n++) {
      const back = takeBack(at.memory, "/a", at.text);
      at = { memory: back.memory, text: back.text! };
    }
    expect(at.text).toBe("5");
    expect(() => takeBack(at.memory, "/a", at.text)).toThrow(/no edit/);
    expect(takeBack(at.memory, "/other", "y").text).toBe("x");
  });

  test("the memory is bounded, the oldest go first, and what is too large is not kept", () => {
    const half = "h".repeat(UNDO_LIMITS.characters / 2);
    let memory: ToolMemory = {};
    for (const path of ["/a", "/b", "/c"]) memory = edited(memory, path, half, half, "").memory;
    expect(JSON.stringify(memory).length).toBeLessThan(UNDO_LIMITS.characters + 2000);
    expect(() => takeBack(memory, "/a", "")).toThrow(/no edit/);
    expect(takeBack(memory, "/c", "").text).toBe(half);
    const huge = "h".repeat(UNDO_LIMITS.characters + 1);
    const after = edited(memory, "/huge", huge, huge, "").memory;
    expect(() => takeBack(after, "/huge", "")).toThrow(/no edit/);
  });

  test("what others keep in the memory stays", () => {
    expect(edited({ other: 1 }, "/a", "x", "x", "y").memory).toMatchObject({ other: 1 });
  });
});
