import { describe, expect, test } from "vitest";
import { scaffolds } from "../../../../envs/swe-bench/scaffolds.ts";
import { describeOnSandboxes, Hands } from "./workbench.ts";

describeOnSandboxes("the editor", (open) => {
  const hands = async (files = {}) => new Hands(scaffolds.sweagent, await open(files));
  const edit = async (by: Hands, args: Readonly<Record<string, string>>) =>
    (await by.use("str_replace_editor", args)).text.replace(
      "Execution output of [str_replace_editor]:\n",
      "",
    );

  describe("view", () => {
    test("a Python file has its lines numbered", async () => {
      const by = await hands({ "a.py": "one\n\ttwo\n\nlast" });
      expect(await edit(by, { command: "view", path: "/testbed/a.py" })).toBe(
        "All 4 lines of /testbed/a.py:\n     1 one\n     2 \ttwo\n     3 \n     4 last",
      );
    });

    test.each([
      ["[2, 3]", "     2 b\n     3 c"],
      ["2,2", "     2 b"],
      ["(3 -1)", "     3 c\n     4 d"],
    ])("view_range %s", async (view_range, lines) => {
      const by = await hands({ "a.py": "a\nb\nc\nd\n" });
      const text = await edit(by, { command: "view", path: "/testbed/a.py", view_range });
      expect(text.slice(text.indexOf("\n") + 1)).toBe(lines);
    });

    test.each([
      ["[0, 2]", /starts at line 0, but the file has 4 lines/],
      ["[5, 6]", /starts at line 5/],
      ["[3, 2]", /ends at line 2; give a line from 3 to 4/],
      ["[1, 5]", /ends at line 5/],
      ["[1, -2]", /ends at line -2/],
      ["3", /must be two whole numbers/],
      ["[1.5, 2]", /must be two whole numbers/],
      ["[1, 2, 3]", /must be two whole numbers/],
    ])("view_range %s is refused", async (view_range, message) => {
      const by = await hands({ "a.py": "a\nb\nc\nd\n" });
      const text = await edit(by, { command: "view", path: "/testbed/a.py", view_range });
      expect(text).toMatch(/^ERROR: /);
      expect(text).toMatch(message);
    });

    test("an empty file is called empty", async () => {
      const by = await hands({ "a.py": "" });
      expect(await edit(by, { command: "view", path: "/testbed/a.py" })).toBe("/testbed/a.py is empty.");
    });

    test("a long file is clipped", async () => {
      const by = await hands({ "a.py": "line\n".repeat(5000) });
      const text = await edit(by, { command: "view", path: "/testbed/a.py" });
      expect(text.length).toBeLessThan(10_300);
      expect(text).toContain("<response clipped>");
    });

    test("a folder is listed two levels deep, in order, without hidden names", async () => {
      const by = await hands({
        "b/c.py": "",
        "b/deep/no.py": "",
        "a b.py": "",
        ".git/config.py": "",
        "b/.hidden": "",
        "-x.py": "",
        "notes.rst": "",
      });
      expect(await edit(by, { command: "view", path: "/testbed" })).toBe(
        [
          "Python files and folders in /testbed, two levels deep, without hidden ones:",
          "/testbed/-x.py",
          "/testbed/a b.py",
          "/testbed/b",
          "/testbed/b/c.py",
          "/testbed/b/deep",
        ].join("\n"),
      );
      expect(await edit(by, { command: "view", path: "/testbed/.git" })).toContain("/testbed/.git/config.py");
    });

    test("a relative path starts at /testbed", async () => {
      const by = await hands({ "b/c.py": "here\n" });
      expect(await edit(by, { command: "view", path: "b/c.py" })).toContain("/testbed/b/c.py");
    });

    test.each(["README.md", "setup.cfg", "py"])("%s is no Python file and is not shown", async (name) => {
      const by = await hands({ [name]: "text\n" });
      for (const more of [{}, { view_range: "[1, 1]" }]) {
        const text = await edit(by, { command: "view", path: `/testbed/${name}`, ...more });
        expect(text).toMatch(
          new RegExp(`^ERROR: /testbed/${name} is no Python file .* Use \`execute_bash\`\\.$`),
        );
      }
    });

    test("a file that is no Python file is edited all the same", async () => {
      const by = await hands({ "setup.cfg": "a = 1\n" });
      const args = { command: "str_replace", path: "/testbed/setup.cfg", old_str: "1", new_str: "2" };
      expect(await edit(by, args)).toContain("     1\ta = 2");
    });
  });

  describe("create", () => {
    test("makes the file and its folders, byte for byte", async () => {
      const by = await hands();
      const text = "a\r\nb\n\n\u00e9\u{1f600}<x>'\"$`";
      expect(await edit(by, { command: "create", path: "/testbed/x/y.py", file_text: text })).toBe(
        "/testbed/x/y.py was created with 4 lines.",
      );
      expect(await by.text("/testbed/x/y.py")).toBe(text);
    });

    test.each([
      ["a file", "/testbed/README.md", /is there already/],
      ["a folder", "/testbed", /is a folder/],
      ["a path below a file", "/testbed/README.md/x", /./],
    ])("%s is not replaced", async (_, path, message) => {
      const by = await hands();
      const text = await edit(by, { command: "create", path, file_text: "x" });
      expect(text).toMatch(/^ERROR: /);
      expect(text).toMatch(message);
      expect(await by.text("/testbed/README.md")).toBe("# A project\n");
    });
  });

  describe("str_replace", () => {
    test("keeps line ends and a missing final newline, and shows what is around", async () => {
      const by = await hands({ "a.py": "a\r\nb\r\nc\r\nd\r\ne\r\nf\r\ng\r\nh" });
      const text = await edit(by, {
        command: "str_replace",
        path: "/testbed/a.py",
        old_str: "f\ng",
        new_str: "f\nx",
      });
      expect(await by.text("/testbed/a.py")).toBe("a\r\nb\r\nc\r\nd\r\ne\r\nf\r\nx\r\nh");
      expect(text).toBe(
        "/testbed/a.py was edited. Lines 3 to 8 of /testbed/a.py are now:\n     3\tc\n     4\td\n     5\te\n     6\tf\n     7\tx\n     8\th",
      );
    });

    test("keeps a byte order mark and the mode of the file", async () => {
      const by = await hands({ "run.sh": "\ufeff#!/bin/sh\necho a\n" });
      await by.sandbox.exec("chmod 755 run.sh");
      await edit(by, {
        command: "str_replace",
        path: "/testbed/run.sh",
        old_str: "echo a",
        new_str: "echo b",
      });
      expect(await by.text("/testbed/run.sh")).toBe("\ufeff#!/bin/sh\necho b\n");
      const { stdout } = await by.sandbox.exec("stat -c %a run.sh");
      expect(stdout.text.trim()).toBe("755");
    });

    test("more than one match changes nothing and names the lines", async () => {
      const by = await hands({ "a.py": "x = 1\ny = 2\nx = 1\n" });
      const text = await edit(by, {
        command: "str_replace",
        path: "/testbed/a.py",
        old_str: "x = 1",
        new_str: "x",
      });
      expect(text).toMatch(/^ERROR: .*2 places \(lines 1, 3\)/);
      expect(await by.text("/testbed/a.py")).toBe("x = 1\ny = 2\nx = 1\n");
    });

    test("without new_str the text is taken out", async () => {
      const by = await hands({ "a.py": "a\nb\n" });
      await edit(by, { command: "str_replace", path: "/testbed/a.py", old_str: "a\n" });
      expect(await by.text("/testbed/a.py")).toBe("b\n");
      expect(await edit(by, { command: "str_replace", path: "/testbed/a.py", old_str: "b\n" })).toBe(
        "/testbed/a.py was edited. /testbed/a.py is empty now.",
      );
    });

    test.each([
      ["Latin-1", new Uint8Array([0xe9, 0x0a]), /not UTF-8 text/],
      ["binary", new Uint8Array([0x61, 0, 0x62]), /not UTF-8 text/],
      ["larger than 8 MiB", "a".repeat(8 * 1024 * 1024 + 1), /more than 8388608 are not opened/],
    ])("a file that is %s is refused and left as it is", async (_, content, message) => {
      const by = await hands({ "a.py": content });
      for (const command of ["view", "str_replace", "insert", "undo_edit"]) {
        const args = { command, path: "/testbed/a.py", old_str: "a", new_str: "b", insert_line: "0" };
        expect(await edit(by, args)).toMatch(message);
      }
      expect((await by.sandbox.readFile("/testbed/a.py")).length).toBe(content.length);
    });
  });

  test("insert puts lines after a line", async () => {
    const by = await hands({ "a.py": "a\r\nb" });
    const text = await edit(by, {
      command: "insert",
      path: "/testbed/a.py",
      insert_line: "1",
      new_str: "  x\n  y",
    });
    expect(await by.text("/testbed/a.py")).toBe("a\r\n  x\r\n  y\r\nb");
    expect(text).toContain("     2\t  x\n     3\t  y");
  });

  test.each(["", "-1", "1.5", "one", "3", "9999999999"])(
    "insert after line %j is refused",
    async (insert_line) => {
      const by = await hands({ "a.py": "a\nb\n" });
      const args = { command: "insert", path: "/testbed/a.py", insert_line, new_str: "x" };
      expect(await edit(by, args)).toMatch(/^ERROR: `insert_line`/);
    },
  );

  describe("undo_edit", () => {
    test("takes back edits one by one, and the creation of a file last", async () => {
      const by = await hands();
      const path = "/testbed/new.py";
      await edit(by, { command: "create", path, file_text: "a\n" });
      await edit(by, { command: "insert", path, insert_line: "1", new_str: "b" });
      expect(await edit(by, { command: "undo_edit", path })).toContain("     1\ta");
      expect(await by.text(path)).toBe("a\n");
      expect(await edit(by, { command: "undo_edit", path })).toContain("it is gone");
      expect(await edit(by, { command: "view", path })).toMatch(/does not exist/);
    });

    test("a file that a command changed since is left as it is", async () => {
      const by = await hands({ "a.py": "a\n" });
      await edit(by, { command: "str_replace", path: "/testbed/a.py", old_str: "a", new_str: "b" });
      await by.use("execute_bash", { command: "echo more >> a.py" });
      expect(await edit(by, { command: "undo_edit", path: "/testbed/a.py" })).toMatch(
        /changed by something else/,
      );
      expect(await by.text("/testbed/a.py")).toBe("b\nmore\n");
    });

    test("a fork can undo what its parent edited, and the parent still can", async () => {
      const by = await hands({ "a.py": "a\n" });
      await edit(by, { command: "str_replace", path: "/testbed/a.py", old_str: "a", new_str: "b" });
      const snapshot = await by.sandbox.snapshot();
      const fork = await by.sandbox.fork(snapshot);
      const child = new Hands(by.scaffold, fork, by.memory);
      await edit(child, { command: "undo_edit", path: "/testbed/a.py" });
      expect(await child.text("/testbed/a.py")).toBe("a\n");
      expect(await by.text("/testbed/a.py")).toBe("b\n");
      await edit(by, { command: "undo_edit", path: "/testbed/a.py" });
      expect(await by.text("/testbed/a.py")).toBe("a\n");
      await fork.close();
      await by.sandbox.release(snapshot);
    });

    test("there may be nothing to undo", async () => {
      const by = await hands();
      expect(await edit(by, { command: "undo_edit", path: "/testbed/README.md" })).toMatch(
        /There is no edit of/,
      );
    });
  });

  test.each([
    ["no command", { path: "/testbed" }, /`command` is missing/],
    ["an unknown command", { command: "delete", path: "/testbed" }, /must be one of view, create/],
    [
      "a command that is a method of all objects",
      { command: "constructor", path: "/testbed" },
      /must be one of/,
    ],
    ["no path", { command: "view" }, /`path` is missing/],
    ["an empty path", { command: "view", path: " " }, /`path` is empty/],
    ["a NUL in the path", { command: "view", path: "/a\0b" }, /is no path/],
    ["a path of 5,000 characters", { command: "view", path: `/${"a".repeat(5000)}` }, /is no path/],
    ["a name of 500 characters", { command: "view", path: `/${"a".repeat(500)}` }, /./],
    ["a path with half a character", { command: "view", path: "/\ud83d" }, /does not exist/],
    ["a device", { command: "view", path: "/dev/null" }, /no regular file|no Python file/],
    ["a file that is not there", { command: "str_replace", path: "/no", old_str: "a" }, /does not exist/],
    [
      "a folder to edit",
      { command: "insert", path: "/testbed", insert_line: "0", new_str: "" },
      /is a folder/,
    ],
    ["a range of a folder", { command: "view", path: "/testbed", view_range: "[1, 2]" }, /is for files/],
    ["no file_text", { command: "create", path: "/testbed/x" }, /`file_text` is missing/],
    ["no old_str", { command: "str_replace", path: "/testbed/README.md" }, /`old_str` is missing/],
    [
      "no new_str to insert",
      { command: "insert", path: "/testbed/README.md", insert_line: "0" },
      /`new_str` is missing/,
    ],
  ] as [string, Record<string, string>, RegExp][])(
    "%s is a result, not an exception",
    async (_, args, message) => {
      expect(await edit(await hands(), args)).toMatch(message);
    },
  );

  test("a repository that the agent removed does not lead the editor astray", async () => {
    const by = await hands();
    await by.use("execute_bash", { command: "cd / && rm -rf /testbed" });
    expect(await edit(by, { command: "view", path: "a.py" })).toMatch(/\/testbed\/a\.py does not exist/);
  });

  test("a closed sandbox is no mistake of the agent's", async () => {
    const by = await hands();
    await by.sandbox.close();
    await expect(edit(by, { command: "view", path: "/testbed" })).rejects.toMatchObject({
      name: "SandboxError",
    });
  });

  describe("of the r2egym scaffold", () => {
    const method = `  def f(self):\n${"    x = 1\n".repeat(5)}`;
    const source = `class A:\n${method.repeat(20)}`;

    test("shows a long Python file condensed, and any part of it whole", async () => {
      const by = new Hands(scaffolds.r2egym, await open({ "a.py": source }));
      const view = async (args: Readonly<Record<string, string>>) =>
        (await by.use("file_editor", { command: "view", ...args })).text;
      const condensed = await view({ path: "/testbed/a.py" });
      expect(condensed).toContain("121 lines, condensed");
      expect(condensed).toContain(
        "     2   def f(self):\n       ... lines 3 to 7 left out ...\n     8   def f(self):",
      );
      const part = await view({ path: "/testbed/a.py", view_range: "[3, 4]", concise: "True" });
      expect(part).toContain("     3     x = 1\n     4     x = 1");
    });

    test("shows a short one condensed when it is asked to", async () => {
      const by = new Hands(scaffolds.r2egym, await open({ "a.py": method }));
      const args = { command: "view", path: "a.py" };
      expect((await by.use("file_editor", args)).text).toContain("All 6 lines");
      const { text } = await by.use("file_editor", { ...args, concise: "true" });
      expect(text).toContain("... lines 2 to 6 left out ...");
    });
  });
});
