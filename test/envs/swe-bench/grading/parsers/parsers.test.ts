import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../../../core/errors.ts";
import { parserOf, UnreadableLog } from "../../../../../envs/swe-bench/grading/parsers/index.ts";
import { RULE_SETS, type RuleSet } from "../../../../../envs/swe-bench/grading/rules.ts";

type Answer = readonly (readonly [string, string])[] | "ERR" | null;

/** Logs put together at random, and what the official parsers of 4.1.0 and 5.0.2 made of them under Python 3.11. */
interface Vector extends Readonly<Record<RuleSet, Answer>> {
  readonly parser: string;
  readonly log: string;
  readonly id?: string;
}

const vectors = JSON.parse(
  readFileSync(new URL("official.json", import.meta.url), "utf8"),
) as readonly Vector[];

function parse(parser: string, log: string, rules: RuleSet, id = "a__b-1"): Answer {
  try {
    return [...parserOf(parser)(log, rules, id)];
  } catch (error) {
    if (error instanceof UnreadableLog) return "ERR";
    throw error;
  }
}

describe("each parser answers as the official one does", () => {
  const names = [...new Set(vectors.map(({ parser }) => parser))];
  test.each(names)("%s", (name) => {
    const own = vectors.filter(({ parser }) => parser === name);
    expect(own.length).toBeGreaterThanOrEqual(2);
    for (const { log, id, ...answers } of own) {
      for (const rules of RULE_SETS) {
        // Null: the parser came with v5.
        if (answers[rules] === null) continue;
        expect(parse(name, log, rules, id), `${rules}: ${JSON.stringify(log)}`).toEqual(answers[rules]);
      }
    }
  });
});

test("an unknown parser is bad input that names the known ones", () => {
  expect(() => parserOf("parse_log_nose")).toThrow(InputError);
  expect(() => parserOf("parse_log_nose")).toThrow(/"parse_log_nose" is none of parse_log_pytest, /);
});

test("later lines overwrite earlier ones, and the order is that of the first mention", () => {
  const log = "PASSED b\nFAILED a - x\nFAILED b - y\nPASSED a";
  expect(parse("parse_log_pytest", log, "v5")).toEqual([
    ["b", "FAILED"],
    ["a", "PASSED"],
  ]);
});

test("a status is kept as it is printed, so that `ERROR: not found` is no error of a test", () => {
  expect(parse("parse_log_pytest", "ERROR: not found", "v5")).toEqual([["not", "ERROR:"]]);
});

test("v5 takes no count of skipped tests for a test, and [100%] for one", () => {
  const log = "SKIPPED [2] a.py:3: no network\nPASSED [100%]";
  expect(parse("parse_log_pytest", log, "v5")).toEqual([["[100%]", "PASSED"]]);
  expect(parse("parse_log_pytest", log, "v4.1")).toEqual([
    ["[2]", "SKIPPED"],
    ["[100%]", "PASSED"],
  ]);
});

test("an id with blanks is whole under v5 and cut under v4.1", () => {
  const log = "FAILED t.py::t[a b] - boom - again\nt.py::u[c d] PASSED";
  expect(parse("parse_log_astropy", log, "v5")).toEqual([
    ["t.py::t[a b]", "FAILED"],
    ["t.py::u[c d]", "PASSED"],
  ]);
  expect(parse("parse_log_astropy", log, "v4.1")).toEqual([
    ["t.py::t[a", "FAILED"],
    ["t.py::u[c", "d]"],
  ]);
});

test("colour codes and control characters are taken out by the parsers that do", () => {
  const log = "\x1b[32mPASSED\x1b[0m t.py::\x1b[1ma\x1b[0m\n\x1b[31mFAILED\x1b[0m t.py::b - x";
  expect(parse("parse_log_sphinx", log, "v5")).toEqual([
    ["t.py::a", "PASSED"],
    ["t.py::b", "FAILED"],
  ]);
  expect(parse("parse_log_pytest", log, "v5")).toEqual([]);
});

test("white space is Python's: U+001C and U+0085 part words, U+FEFF does not", () => {
  expect(parse("parse_log_pytest", "PASSED\x1ca\x85b", "v5")).toEqual([["a", "PASSED"]]);
  expect(parse("parse_log_pytest", "PASSED a\ufeffb", "v5")).toEqual([["a\ufeffb", "PASSED"]]);
});

test("a dot goes over U+2028, where JavaScript's stops", () => {
  expect(parse("parse_log_jq", "PASS: a\u2028b", "v5")).toEqual([["a\u2028b", "PASSED"]]);
});

test("SWE-Gym's pydantic has a share of the run between status and id", () => {
  const log = "FAILED [ 42%] t.py::a - x\nt.py::b PASSED [ 43%]\nt.py::c PASSED";
  expect(parse("parse_log_pytest_pydantic", log, "v5")).toEqual([
    ["t.py::a", "FAILED"],
    ["t.py::c", "PASSED"],
  ]);
});

test("Django's runner, as the official parser reads it", () => {
  const log = `test_a (m.C) ... ok
A docstring of a test. ... ok
test_b (m.C) ... skipped 'no db'
test_c (m.C) ... FAIL
test_d (m.C) ... ERROR
test_e (m.C) ... some output
ok, and more
test_f (m.C) ... Testing against Django installed in '/x'
another test ... that is silenced).
ok
  Applying sites.0002_alter_domain_unique...test_no_migrations (m.D) ... ok
x --version is equivalent to version y
FAIL: test_i (m.C)
ERROR: test_j (m.C)`;
  expect(parse("parse_log_django", log, "v5")).toEqual([
    ["test_a (m.C)", "PASSED"],
    ["A docstring of a test.", "PASSED"],
    ["test_b (m.C)", "SKIPPED"],
    ["test_c (m.C)", "FAILED"],
    ["test_d (m.C)", "ERROR"],
    ["test_e (m.C)", "PASSED"],
    ["another test", "PASSED"],
    ["test_no_migrations (m.D)", "PASSED"],
    ["--version is equivalent to version", "PASSED"],
    ["test_i", "FAILED"],
    ["test_j", "ERROR"],
    ["test_f (m.C)", "PASSED"],
  ]);
});
