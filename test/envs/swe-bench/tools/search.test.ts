import { expect, test } from "vitest";
import { scaffolds } from "../../../../envs/swe-bench/scaffolds.ts";
import { describeOnSandboxes, Hands } from "./workbench.ts";

describeOnSandboxes("search", (open) => {
  const find = async (files: Readonly<Record<string, string | Uint8Array>>, args: Record<string, string>) =>
    (await new Hands(scaffolds.r2egym, await open(files)).use("search", args)).text;

  test("lists the Python files of a folder with the number of lines, in order", async () => {
    const files = {
      "b.py": "foo foo\nbar\nfoo\n",
      "a/c d.py": "x.foo()",
      "a/n:1.py": "foo",
      "docs.rst": "foo",
      ".git/HEAD": "foo",
      "a/.hidden.py": "foo",
      "a/.tox/x.py": "foo",
      "a/__pycache__/c.pyc": "foo",
      "none.py": "bar",
    };
    expect(await find(files, { search_term: "foo" })).toBe(
      [
        "Execution output of [search]:",
        '4 lines with "foo" in /testbed:',
        "/testbed/a/c d.py (1 line)",
        "/testbed/a/n:1.py (1 line)",
        "/testbed/b.py (2 lines)",
      ].join("\n"),
    );
    expect(await find(files, { search_term: "foo", path: "a" })).toContain(
      '2 lines with "foo" in /testbed/a:',
    );
  });

  test("shows the lines of a file", async () => {
    const text = await find({ "a.py": "foo\r\nbar\n  foo" }, { search_term: "foo", path: "/testbed/a.py" });
    expect(text).toContain('2 lines of /testbed/a.py matching "foo":\n1:foo\n3:  foo');
  });

  test.each([["a.*b"], ["-e"], ["$(rm -rf /)"], ["'\""], ["["], ["\\n"], ["\u00e9 \u{1f600}"]])(
    "%s is taken as it is in a folder",
    async (search_term) => {
      const files = { "a.py": `x ${search_term} y\n`, "b.py": "aXXb\n" };
      const text = await find(files, { search_term });
      expect(text).toContain("/testbed/a.py (1 line)");
      expect(text).not.toContain("b.py");
    },
  );

  test.each([
    ["need.e", "1:needle"],
    ["^-e", "2:-e"],
    ["f(x", "3:f(x)"],
    ["a\\{3\\}", "4:aaa"],
    ["b\\|c", "5:b+\n6:c"],
    ["b+", "5:b+"],
    ["\u00e9", "7:\u00e9"],
  ])("%s in a file is a basic regular expression", async (search_term, lines) => {
    const files = { "notes.rst": "needle\n-e\nf(x)\naaa\nb+\nc\n\u00e9\n" };
    const text = await find(files, { search_term, path: "notes.rst" });
    expect(text.slice(text.indexOf(":\n", 30) + 2)).toBe(lines);
  });

  test("one that grep does not take is told of", async () => {
    const text = await find({ "a.py": "bar[" }, { search_term: "bar[", path: "a.py" });
    expect(text).toMatch(/\nERROR: grep failed: grep: .*regular expression|Unmatched \[/i);
  });

  test("100 files are listed and 101 are too many", async () => {
    const files = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`d/f${n}.py`, "foo\n"]));
    expect(await find(files, { search_term: "foo" })).toMatch(
      /in 101 Python files in \/testbed, which is too many/,
    );
    const { "d/f0.py": _, ...hundred } = files;
    expect(await find(hundred, { search_term: "foo" })).toContain('100 lines with "foo"');
  });

  test("nothing found is said so", async () => {
    expect(await find({}, { search_term: "zzz" })).toContain('No Python file in /testbed holds "zzz".');
    expect(await find({}, { search_term: "zzz", path: "README.md" })).toContain("No line of");
  });

  test.each([
    ["no term", {}, /`search_term` is missing/],
    ["an empty term", { search_term: "" }, /must be one line/],
    ["a term of two lines", { search_term: "a\nb" }, /must be one line/],
    ["a term of 1,001 characters", { search_term: "a".repeat(1001) }, /must be one line/],
    ["half a character", { search_term: "\ud83d" }, /No Python file in/],
    ["a path that is not there", { search_term: "a", path: "/no" }, /\/no does not exist/],
  ] as [string, Record<string, string>, RegExp][])(
    "%s is a result, not an exception",
    async (_, args, message) => {
      expect(await find({}, args)).toMatch(message);
    },
  );
});
