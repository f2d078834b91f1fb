import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import type { Json } from "../../../../core/json.ts";
import { pythonJson } from "../../../../envs/swe-bench/grading/python-json.ts";

test("is laid out as Python lays it out, empty lists and objects in one line", () => {
  expect(pythonJson({ a: [1, [], {}, [true, null]], b: { c: "d" } })).toBe(
    [
      "{",
      '    "a": [',
      "        1,",
      "        [],",
      "        {},",
      "        [",
      "            true,",
      "            null",
      "        ]",
      "    ],",
      '    "b": {',
      '        "c": "d"',
      "    }",
      "}",
    ].join("\n"),
  );
});

test("escapes all but printable ASCII, astral characters in two halves", () => {
  expect(pythonJson('é"\\/\b\f\n\r\t\x00\x1f\x7f\u2028😀')).toBe(
    '"\\u00e9\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f\\u2028\\ud83d\\ude00"',
  );
  expect(pythonJson({ ü: "\ud800" })).toBe('{\n    "\\u00fc": "\\ud800"\n}');
});

test("comes back as it was", () => {
  const text = fc.string({ unit: "binary" });
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(null, true, false),
      fc.maxSafeInteger(),
      text,
      fc.array(tie("value")),
      fc.dictionary(text, tie("value"), { noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(value, (each) => {
      expect(JSON.parse(pythonJson(each))).toEqual(each);
    }),
  );
});

test("a number that Python writes in another way is refused", () => {
  for (const number of [0.5, 1e21, Number.NaN]) expect(() => pythonJson([number])).toThrow(InputError);
});

const python = havePython();

test.skipIf(!python)("is what json.dumps writes (skipped without python3)", () => {
  const texts = fc.sample(fc.string({ unit: "binary", maxLength: 20 }), { numRuns: 200, seed: 4 });
  const program = "import json,sys;sys.stdout.write(json.dumps(json.load(sys.stdin),indent=4))";
  const theirs = execFileSync("python3", ["-c", program], {
    input: JSON.stringify({ texts }),
    encoding: "utf8",
  });
  expect(pythonJson({ texts })).toBe(theirs);
});

function havePython(): boolean {
  try {
    execFileSync("python3", ["-c", ""], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
