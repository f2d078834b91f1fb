import { describe, expect, test } from "vitest";
import { reproductionOf } from "../../../agents/repair/issue.ts";

const fenced = (code: string, language = "python"): string =>
  `Text.\n\n\`\`\`${language}\n${code}\n\`\`\`\nMore.`;

describe("reproductionOf", () => {
  test.each<[string, string, string]>([
    ["asserts as they are", fenced("import a\nassert a.f() == 1"), "import a\nassert a.f() == 1\n"],
    ["a comment that says what should be", fenced("f(1)  # should be 3"), '_shows(lambda: (f(1)), "3")\n'],
    [
      "the wanted value and not the one that came",
      fenced("print(f(1))  # expected 3, but got 2"),
      '_shows(lambda: (f(1)), "3")\n',
    ],
    [
      "a value that is kept for later",
      fenced("x = f(1)  # -> [1, 2]\ng(x)"),
      'x = f(1)\n_shows(lambda: (x), "[1, 2]")\ng(x)\n',
    ],
    [
      "an exception that should come",
      fenced("f(-1)  # should raise ValueError"),
      '_raises(lambda: (f(-1)), "ValueError")\n',
    ],
    ["other comments are comments", fenced("f(1)  # a comment\ng('#')"), "f(1)  # a comment\ng('#')\n"],
    [
      "a session",
      fenced(
        ">>> import a\n>>> a.f(1)\n3\n>>> for x in y:\n...     f(x)\n...\n>>> a.g()\nTraceback (most recent",
      ),
      'import a\n_shows(lambda: (a.f(1)), "3")\nfor x in y:\n    f(x)\n\na.g()',
    ],
    ["IPython's session", fenced("In [1]: f(1)\nOut[1]: 3"), '_shows(lambda: (f(1)), "3")'],
    ["a session without fences", "Look:\n\n    >>> f(1)\n    3\n\nBad.", '_shows(lambda: (f(1)), "3")'],
    ["a sentence", "Calling `f(1)` returns `2` but it should be `3`.", '_shows(lambda: (f(1)), "3")'],
    [
      "text, traces and shells are no code",
      `${fenced("pip install a", "bash")}\n${fenced("some text", "")}`,
      "",
    ],
    ["nothing", "It does not work.", ""],
  ])("takes %s", (_, issue, expected) => {
    expect(reproductionOf(issue)).toBe(expected);
  });

  test("takes an output that is introduced as the expected one, and not the actual one", () => {
    const code = fenced("print(f(1))");
    const expected = `${code}\nExpected output:\n\`\`\`\n3\n\`\`\``;
    expect(reproductionOf(expected)).toBe('print(f(1))\n\n_prints("3")');
    expect(reproductionOf(`${code}\nActual output:\n\`\`\`\n2\n\`\`\``)).toBe("print(f(1))\n");
  });

  test("puts a mark between blocks", () => {
    expect(reproductionOf(`${fenced("a()")}\n${fenced("b()")}`)).toBe("a()\n\n#%%\nb()\n");
  });
});
