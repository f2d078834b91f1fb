import { describe, expect, test } from "vitest";
import { toInstance } from "../../../../envs/swe-bench/rows/normalise.ts";
import { classicRow, GOLD, SCRIPT, TESTS } from "./rows.ts";

test("a v5 row is taken as it is", () => {
  const row = classicRow({
    image: "swebench/x:latest",
    eval_script: SCRIPT,
    log_parser: "parse_log_flask",
    eval_type: "fail_only",
    hints_text: "a hint",
  });
  expect(toInstance(row)).toEqual({
    id: "pallets__flask-1",
    family: "swe-bench",
    repo: "pallets/flask",
    baseCommit: "a".repeat(40),
    problemStatement: "It breaks.",
    image: "swebench/x:latest",
    hidden: {
      goldPatch: GOLD,
      goldReversed: false,
      testPatch: TESTS,
      failToPass: ["tests/test_a.py::test_a"],
      passToPass: ["tests/test_a.py::test_b[x"],
      evalScript: SCRIPT,
      logParser: "parse_log_flask",
      evalType: "fail_only",
      expectedOutput: null,
      hintsText: "a hint",
    },
  });
});

test("a classic row gets the parser, the eval type, the image and the script of its repository", () => {
  const { image, hidden } = toInstance(classicRow());
  expect(image).toBe("docker.io/swebench/sweb.eval.x86_64.pallets_1776_flask-1:latest");
  expect(hidden.logParser).toBe("parse_log_flask");
  expect(hidden.evalType).toBe("pass_and_fail");
  expect(hidden.evalScript).toContain("\npytest -rA tests/test_a.py\n");
  expect(toInstance(classicRow({ version: null })).hidden.evalScript).toBeNull();
  expect(
    toInstance(classicRow({ repo: "markedjs/marked", log_parser: "parse_log_marked" })).hidden.evalType,
  ).toBe("fail_only");
});

test("lists of tests may be lists or JSON text, and keep their order and repeats", () => {
  const ids = ["b", "a[", "b"];
  for (const list of [ids, JSON.stringify(ids)]) {
    expect(toInstance(classicRow({ FAIL_TO_PASS: list })).hidden.failToPass).toEqual(ids);
  }
  expect(toInstance(classicRow({ PASS_TO_PASS: null })).hidden.passToPass).toEqual([]);
  expect(toInstance(classicRow({ FAIL_TO_PASS: "[]" })).hidden.failToPass).toEqual([]);
});

test("an own script may print its markers, and R2E-Gym's has none", () => {
  const eval_script = SCRIPT.replaceAll(": '", "echo '");
  expect(toInstance(classicRow({ eval_script })).hidden.evalScript).toBe(eval_script);
});

test("images of an issue are no assets of the tests", () => {
  const image_assets = '{"problem_statement":["https://x/a.png"],"patch":null,"test_patch":[]}';
  expect(toInstance(classicRow({ image_assets })).family).toBe("swe-bench");
});

describe("families by their fields", () => {
  test.each([
    [{}, "swe-bench"],
    [{ repo: "redis/redis" }, "swe-bench-multilingual"],
    [{ repo: "markedjs/marked", log_parser: "parse_log_marked", image_assets: "{}" }, "swe-bench"],
    [{ repo: "Project-MONAI/MONAI" }, "swe-gym"],
    [{ repo: "swesmith/pallets__flask.12345678" }, "swe-smith"],
    [{ install_config: '{"test_cmd": "pytest"}' }, "swe-rebench"],
    [{ docker_image: "swerebench/sweb.eval.x86_64.x" }, "swe-rebench"],
  ])("%j is %s", (fields, family) => {
    expect(toInstance(classicRow(fields)).family).toBe(family);
  });

  test("the one that is named wins", () => {
    expect(toInstance(classicRow(), "swe-gym").image).toContain("xingyaoww");
  });
});

test("of SWE-smith the patch is the bug, and what its rows lack is not asked for", () => {
  const { base_commit, test_patch, version, hints_text, ...row } = classicRow({
    repo: "swesmith/pallets__flask.12345678",
    image_name: "swesmith.x86_64.pallets__flask.12345678",
    FAIL_TO_PASS: ["tests/test_a.py::test_a"],
    PASS_TO_PASS: ["tests/test_b.py::test_b"],
  });
  const { image, baseCommit, hidden } = toInstance(row);
  expect(baseCommit).toBe("HEAD");
  expect(image).toBe("jyangballin/swesmith.x86_64.pallets_1776_flask.12345678:latest");
  expect(hidden).toMatchObject({ goldPatch: GOLD, goldReversed: true, testPatch: "" });
  expect(hidden.logParser).toBe("parse_log_pytest");
  expect(hidden.evalScript).toContain(" tests/test_a.py tests/test_b.py\n");
  expect(toInstance({ ...row, log_parser: "parse_log_swesmith" }).hidden.logParser).toBe(
    "parse_log_swesmith",
  );
  expect(() => toInstance({ ...row, repo: "swesmith/tornadoweb__tornado.1" })).toThrow("log_parser: ");
});

test("SWE-rebench's own commands and parser are used, a struct or JSON text", () => {
  const config = {
    install: "pip install .",
    test_cmd: ["make", "pytest -v"],
    log_parser: "parse_log_pytest_v2",
  };
  for (const install_config of [config, JSON.stringify(config)]) {
    const { hidden } = toInstance(classicRow({ repo: "acme/lib", install_config }));
    expect(hidden.logParser).toBe("parse_log_pytest_v2");
    expect(hidden.evalScript).toContain("\nLANG=C.UTF-8 LC_ALL=C.UTF-8 pip install .\n");
    expect(hidden.evalScript).toContain("\nLANG=C.UTF-8 LC_ALL=C.UTF-8 make\npytest -v tests/test_a.py\n");
  }
});

test("SWE-Gym's pydantic has a parser of its own, the others pytest's", () => {
  expect(toInstance(classicRow({ repo: "dask/dask" })).hidden.logParser).toBe("parse_log_pytest");
  expect(toInstance(classicRow({ repo: "pydantic/pydantic" })).hidden.logParser).toBe(
    "parse_log_pytest_pydantic",
  );
});

describe("R2E-Gym", () => {
  const line = (type: string, content: string) => ({ type, content });
  const hunk = {
    descriptor: {
      old_range: { start: 1, length: null },
      new_range: { start: 1, length: 2 },
      section: "def f():",
    },
    line_group: {
      all_lines: [
        line("deleted", "a\r"),
        line("added", "b"),
        line("added", "c"),
        line("note", "No newline at end of file"),
      ],
    },
  };
  const diff = (path: string, more: object = {}) => ({
    header: { file: { path }, misc_line: null },
    minus_file: { path: `a/${path}` },
    plus_file: { path: `b/${path}` },
    hunks: [hunk],
    ...more,
  });
  const row = (diffs: readonly object[], more: object = {}) => ({
    repo_name: "orange3",
    commit_hash: "c".repeat(40),
    docker_image: "namanjain12/orange3_final:c",
    problem_statement: "intro\n[ISSUE]\n**Title** x\n[/ISSUE]\n",
    expected_output_json: '{"TestA.test_x": "PASSED", "TestA.test_y - why": "FAILED"}',
    parsed_commit_content: JSON.stringify({ old_commit_hash: "b".repeat(40), file_diffs: diffs }),
    ...more,
  });

  test("a row is made whole from its commit", () => {
    const instance = toInstance(row([diff("src/a.py"), diff("src/tests/test_a.py")]));
    expect(instance).toMatchObject({
      id: `orange3__${"c".repeat(40)}`,
      family: "r2e-gym",
      repo: "orange3",
      baseCommit: "b".repeat(40),
      problemStatement: "**Title** x",
      image: "namanjain12/orange3_final:c",
    });
    expect(instance.hidden.expectedOutput).toEqual({
      "TestA.test_x": "PASSED",
      "TestA.test_y - why": "FAILED",
    });
    expect(instance.hidden.goldPatch).toBe(
      "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1,2 @@ def f():\n-a\r\n+b\n+c\n" +
        "\\ No newline at end of file\n",
    );
    expect(instance.hidden.evalScript).toContain("r2e_tests");
  });

  test("a new file keeps its mode; what cannot be written as a patch gives none", () => {
    const header = { file: { path: "n.py" }, misc_line: "new file mode 100644" };
    const fresh = diff("n.py", { header, minus_file: { path: "/dev/null" } });
    const gold = (given: object) => toInstance({ ...row([]), ...given }).hidden.goldPatch;
    expect(gold(row([fresh]))).toMatch(
      /^diff --git a\/n.py b\/n.py\nnew file mode 100644\n--- \/dev\/null\n/,
    );
    expect(gold(row([diff("a.py"), diff("x.png", { is_binary_file: true })]))).toBe("");
    expect(gold({ parsed_commit_content: "{" })).toBe("");
    expect(gold({ parsed_commit_content: null })).toBe("");
  });

  test("without its commit, the base is the one before", () => {
    expect(toInstance(row([], { parsed_commit_content: null })).baseCommit).toBe(`${"c".repeat(40)}~1`);
  });

  test("neither lists of tests nor a known parser are asked for", () => {
    const { hidden } = toInstance(row([], { FAIL_TO_PASS: null, log_parser: "its own" }));
    expect([hidden.failToPass, hidden.logParser]).toEqual([[], "its own"]);
  });

  test("expected statuses that are missing, empty or no text are refused", () => {
    expect(() => toInstance(row([], { expected_output_json: "{}" }))).toThrow("expected_output_json: ");
    expect(() => toInstance(row([], { expected_output_json: '{"a": 1}' }))).toThrow("status of a to be text");
    expect(() => toInstance(row([], { expected_output_json: null }), "r2e-gym")).toThrow(
      "expected_output_json: ",
    );
  });
});

describe("a bad row is refused by its field", () => {
  test.each([
    [{ instance_id: null }, "instance_id: expected text that is not empty, got nothing"],
    [{ instance_id: "../x" }, 'instance_id: expected an id without blanks and slashes, got "../x"'],
    [{ instance_id: ".." }, "instance_id: "],
    [{ repo: "" }, "repo: "],
    [{ base_commit: "HEAD; rm -rf /" }, "base_commit: expected a commit's hash"],
    [{ base_commit: "--force" }, "base_commit: "],
    [{ patch: null }, "patch: expected text, got nothing"],
    [{ test_patch: 3 }, "test_patch: expected text, got 3"],
    [{ problem_statement: { a: 1n } }, 'problem_statement: expected text, got {"a":"1"}'],
    [{ FAIL_TO_PASS: null }, "FAIL_TO_PASS: expected a list of test ids, got nothing"],
    [{ FAIL_TO_PASS: undefined }, "FAIL_TO_PASS: expected a list of test ids, got nothing"],
    [
      { repo: "swesmith/a__b.1", FAIL_TO_PASS: null },
      "FAIL_TO_PASS: expected a list of test ids, got nothing",
    ],
    [{ FAIL_TO_PASS: "x" }, "FAIL_TO_PASS: expected JSON"],
    [{ FAIL_TO_PASS: "{}" }, "FAIL_TO_PASS: expected a list of test ids, got "],
    [{ PASS_TO_PASS: ["a", null] }, "PASS_TO_PASS: expected test id 2 of 2 to be text, got nothing"],
    [{ FAIL_TO_PASS: "[]", PASS_TO_PASS: [] }, "any patch would count as resolved"],
    [
      { repo: "acme/lib" },
      "log_parser: expected the name of a parser, got nothing, and none is known for acme/lib",
    ],
    [
      { log_parser: "parse_log_nope" },
      'log_parser: expected the name of a parser of SWE-bench, for example parse_log_pytest, got "parse_log_nope"',
    ],
    [{ log_parser: "parse_log_swesmith" }, "log_parser: expected the name of a parser of SWE-bench"],
    [{ log_parser: "constructor" }, "log_parser: expected the name of a parser of SWE-bench"],
    [{ install_config: { log_parser: "mine" } }, "install_config.log_parser: expected the name of a parser"],
    [{ eval_type: "both" }, "eval_type: expected pass_and_fail or fail_only"],
    [{ eval_script: 1 }, "eval_script: expected text, got 1"],
    [
      { eval_script: "set -x\npytest -rA\n" },
      "eval_script: expected the line : '>>>>> Start Test Output' before the test command, got none; without it no patch",
    ],
    [
      { eval_script: "# >>>>> Start Test Output\n: '>>>>> End Test Output'" },
      "the line : '>>>>> Start Test Output' before the test command, got none",
    ],
    [
      { eval_script: SCRIPT.replace("End", "The End") },
      "eval_script: expected the line : '>>>>> End Test Output' after the test command, got none",
    ],
    [{ eval_script: SCRIPT.split("\n").reverse().join("\n") }, "the other way round; swap them"],
    [
      { repo: "swesmith/a__b.1", eval_script: SCRIPT.replaceAll(": '", "echo '") },
      "eval_script: expected the markers of a SWE-smith row as : '>>>>> Start Test Output'",
    ],
    [
      { image_assets: { test_patch: [{ path: "a.png", url: "u" }] } },
      'image_assets.test_patch: expected no files, got [{"path":"a.png","url":"u"}]; they would have to be downloaded',
    ],
    [
      { image_assets: '{"test_patch":[],"patch":[{"path":"a.png","url":"u"}]}' },
      "image_assets.patch: expected no files, got ",
    ],
    [{ image_assets: "[" }, "image_assets: expected JSON"],
    [{ install_config: "[]" }, "install_config: expected an object"],
    [{ install_config: { test_cmd: 1 } }, "install_config.test_cmd: expected commands, got 1"],
  ])("%o", (fields, message) => {
    expect(() => toInstance(classicRow(fields))).toThrow(message);
  });
});
