import { patchedFiles } from "./patch-files.ts";
import type { TestSpec } from "./specs.ts";

const ACTIVATE = ["source /opt/miniconda3/bin/activate", "conda activate testbed"];

/** Endings of files in a test patch that are data, not tests (SWE-bench 4.1.0). */
const NO_TEST = [".json", ".png", "csv", ".txt", ".md", ".jpg", ".jpeg", ".pkl", ".yml", ".yaml", ".toml"];

export interface ScriptFields {
  readonly repo: string;
  readonly baseCommit: string;
  readonly testPatch: string;
}

/**
 * The eval script of a row that has none, as the harness before v5 built it (SWE-bench 4.1.0,
 * harness/test_spec/python.py), with one rule of ours: files that the test patch makes are removed before it is
 * applied. There they were named in `git checkout`, which then restored nothing, or, alone, the whole tree
 * (SWE-bench issues 518, 538, 539 and 542).
 */
export function evalScript(row: ScriptFields, spec: TestSpec): string {
  const reset = resetCommands(row.baseCommit, row.testPatch);
  const given = spec.given?.(row.testPatch) ?? testDirectives(row.repo, row.testPatch);
  const test = [spec.test, ...given.map(quoted)].join(" ");
  return script([
    ...ACTIVATE,
    "cd /testbed",
    ...spec.before,
    "git config --global --add safe.directory /testbed",
    "cd /testbed",
    "git status",
    "git show",
    `git -c core.fileMode=false diff ${row.baseCommit}`,
    ...ACTIVATE,
    ...(spec.install === null ? [] : [spec.install]),
    ...reset,
    ...applied(row.testPatch),
    ...marked(test),
    ...reset,
  ]);
}

/**
 * The eval script of SWE-smith (harness/utils.py), which has no test patch: the files of the expected tests, as they
 * are at `baseCommit`. There only the files of FAIL_TO_PASS are run, and a PASS_TO_PASS test that did not run counts
 * as passed; here both are run. Null if the ids name no files.
 */
export function smithScript(baseCommit: string, ids: readonly string[]): string | null {
  const files = [...new Set(ids.map((id) => id.split("::", 1)[0]!))];
  if (files.length === 0 || !ids.every((id) => /^[^-\s][^\n]*?::/.test(id))) return null;
  const names = files.map(quoted).join(" ");
  return script([
    ...ACTIVATE,
    "cd /testbed",
    "git config --global --add safe.directory /testbed",
    `git checkout ${baseCommit} -- ${names}`,
    ...marked(`pytest --disable-warnings --color=no --tb=no --verbose ${names}`),
  ]);
}

/**
 * The tests of an R2E-Gym image, as its gym runs them (agenthub/runtime/docker.py): the tests to come and run_tests.sh
 * lie in /root, where a grading sandbox puts them, out of a patch's reach; the script knows them under the repository.
 */
export const R2E_SCRIPT: string = script([
  "cd /testbed",
  "rm -rf r2e_tests",
  "if [ -d /root/r2e_tests ]; then ln -s /root/r2e_tests r2e_tests; else ln -s /r2e_tests r2e_tests; fi",
  "if [ -f /root/run_tests.sh ]; then tests=/root/run_tests.sh; else tests=run_tests.sh; fi",
  ...marked('bash "$tests"'),
]);

// No -e: the tests may fail and the reset must still come. With -x the markers show in the log.
function script(commands: readonly string[]): string {
  return `${["#!/bin/bash", "set -uxo pipefail", ...commands].join("\n")}\n`;
}

function marked(test: string): readonly string[] {
  return [": '>>>>> Start Test Output'", test, ": '>>>>> End Test Output'"];
}

function applied(patch: string): readonly string[] {
  if (patch === "") return [];
  const lines = new Set(patch.split("\n"));
  let end = "EOF_114329324912";
  while (lines.has(end)) end += "_";
  return [`git apply -v - <<'${end}'\n${patch}\n${end}`];
}

/** Puts the files of a test patch back to what they are at the base: the changed ones, and without the new ones. */
function resetCommands(baseCommit: string, patch: string): readonly string[] {
  const files = patchedFiles(patch);
  const old = new Set(files.flatMap(({ before }) => before ?? []));
  const fresh = new Set(files.flatMap(({ after }) => (after === null || old.has(after) ? [] : after)));
  return [
    ...(old.size === 0 ? [] : [`git checkout ${baseCommit} -- ${[...old].map(quoted).join(" ")}`]),
    ...(fresh.size === 0 ? [] : [`rm -f -- ${[...fresh].map(quoted).join(" ")}`]),
  ];
}

/** What the test command is given: the files of the test patch that may be tests; django's runner wants modules. */
export function testDirectives(repo: string, patch: string): readonly string[] {
  const files = [...patch.matchAll(/^diff --git a\/.* b\/(.*?)\r?$/gm)].map(([, name]) => name!);
  const tests = files.filter((name) => !NO_TEST.some((ending) => name.endsWith(ending)));
  if (repo !== "django/django") return tests;
  return tests.map((name) =>
    name
      .replace(/\.py$/, "")
      .replace(/^tests\//, "")
      .replaceAll("/", "."),
  );
}

/** A word of bash. */
function quoted(word: string): string {
  return /^[\w./@%+=:,~^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
