import type { SweInstance } from "../instance.ts";
import { patchedFiles } from "../rows/patch-files.ts";
import { END, EXIT_CODE } from "./markers.ts";
import { strip } from "./parsers/python-text.ts";
import type { RuleSet } from "./rules.ts";

const FIRST_LINES = ["#!/bin/bash", "set -uxo pipefail"];
const EXIT_VARIABLE = "SWEBENCH_TEST_EXIT_CODE";

/**
 * The row's eval script as it is run: with its tests protected, and under v5 with the exit code of the tests in
 * the log. Empty where the row has none.
 */
export function preparedScript({ hidden }: SweInstance, rules: RuleSet): string {
  if (hidden.evalScript === null) return "";
  const script = protectTests(hidden.evalScript, hidden.testPatch);
  return rules === "v5" ? recordExitCode(script) : script;
}

/**
 * Lets the script log the exit code of the test command, as v5 does (SWE-bench 5.0.2, harness/utils.py): grading
 * refuses a log in which the command failed and no test did. A script without end marker keeps none.
 */
export function recordExitCode(script: string): string {
  const lines = strip(script)
    .split("\n")
    .filter((line) => !FIRST_LINES.includes(line));
  const end = lines.findIndex((line) => line.includes(END));
  if (end >= 0) {
    lines.splice(end + 1, 0, `echo "${EXIT_CODE}: $${EXIT_VARIABLE}"`);
    lines.splice(end, 0, `${EXIT_VARIABLE}=$?`);
  }
  return `${[...FIRST_LINES, ...lines].join("\n")}\n`;
}

const RESET = /^git checkout ([0-9a-f]{40})(?: (?:-- )?(\S.*))?$/;
const HEREDOC = /<<-?\s*(['"]?)(\w+)\1/;

/**
 * Rewrites the script's `git checkout <base> <files>`, before and after the tests. There, one file that is not in
 * the base keeps git from restoring any, and a test patch of new files alone resets the whole tree (SWE-bench
 * issues #518, #538, #539, #542). Here the files that the test patch changes are restored and those it makes are
 * removed. The `conftest.py` in every folder from the root to a test of the patch is put back as well: pytest loads
 * it unasked, and one that a model's patch brought can turn failures into passes (issue #631). No reference patch
 * of SWE-bench has one, for such files count as tests.
 */
export function protectTests(script: string, testPatch: string): string {
  const files = patchedFiles(testPatch);
  const old = unique(files.flatMap(({ before }) => before ?? []));
  const made = unique(files.flatMap(({ after }) => after ?? [])).filter((file) => !old.includes(file));
  const configurations = conftests([...old, ...made]).filter(
    (file) => !old.includes(file) && !made.includes(file),
  );
  let [waitsFor, first] = [null as string | null, true];
  const lines = script.split("\n").flatMap((line) => {
    if (waitsFor !== null) {
      if (line === waitsFor) waitsFor = null;
      return [line];
    }
    const reset = RESET.exec(line);
    if (reset === null) {
      waitsFor = HEREDOC.exec(line)?.[2] ?? null;
      return [line];
    }
    const [, base, named = ""] = reset;
    const others = words(named).filter((word) => !old.includes(plain(word)) && !made.includes(plain(word)));
    const restored = [...old.map(quoted), ...others].join(" ");
    const commands = [
      ...(restored === "" ? [] : [`git checkout ${base} -- ${restored}`]),
      ...(made.length === 0 ? [] : [`rm -f -- ${made.map(quoted).join(" ")}`]),
      ...(first ? configurations.map(putBack) : []),
    ];
    first = false;
    return commands;
  });
  return lines.join("\n");
}

/** As it was before the model's patch, which is not committed. */
function putBack(file: string): string {
  const name = quoted(file);
  return `git checkout HEAD -- ${name} 2>/dev/null || rm -f -- ${name}`;
}

/** Where pytest looks for `conftest.py` on its way to these files; none if no Python is among them. */
function conftests(files: readonly string[]): string[] {
  const folders = files
    .filter((file) => file.endsWith(".py"))
    .flatMap((file) => file.split("/").map((_, depth, parts) => parts.slice(0, depth).join("/")));
  return unique(folders.map((folder) => (folder === "" ? "conftest.py" : `${folder}/conftest.py`)));
}

function unique(files: readonly string[]): string[] {
  return [...new Set(files)];
}

/** The words of a command, quotes left on. */
function words(text: string): string[] {
  return text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
}

function plain(word: string): string {
  return word.replace(/['"]/g, "");
}

function quoted(word: string): string {
  return /^[\w./@%+=:,~^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
