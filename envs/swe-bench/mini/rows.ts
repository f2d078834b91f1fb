import { evalScript } from "./eval-script.ts";
import { type Difficulty, type MiniTask, miniFiles, miniIds, taskText } from "./files.ts";

/** A row of `swe-mini` in the format of SWE-bench v5, as its data sets are published. */
export type MiniRow = {
  readonly repo: string;
  readonly instance_id: string;
  readonly base_commit: string;
  readonly patch: string;
  readonly test_patch: string;
  readonly problem_statement: string;
  readonly hints_text: string;
  readonly created_at: string;
  readonly version: string;
  /** A list of test ids as JSON text, and so is PASS_TO_PASS. */
  readonly FAIL_TO_PASS: string;
  readonly PASS_TO_PASS: string;
  readonly environment_setup_commit: string;
  readonly difficulty: Difficulty;
  readonly eval_script: string;
  readonly log_parser: string;
  readonly eval_type: string;
  /** Nobody publishes it: the repositories come as files. */
  readonly image: string;
};

const ORDER: readonly Difficulty[] = ["one mutation", "hard to find", "needs thought"];

let rows: readonly MiniRow[] | undefined;

/** All rows of `swe-mini`, from easy to hard. */
export function miniRows(): readonly MiniRow[] {
  rows ??= miniIds()
    .map(rowOf)
    .sort((a, b) => ORDER.indexOf(a.difficulty) - ORDER.indexOf(b.difficulty));
  return rows;
}

function rowOf(id: string): MiniRow {
  const task = JSON.parse(taskText(id, "task.json")) as MiniTask;
  const testPatch = taskText(id, "test.patch");
  return {
    repo: id.replace("__", "/").replace(/-\d+$/, ""),
    instance_id: id,
    base_commit: task.base_commit,
    patch: taskText(id, "gold.patch"),
    test_patch: testPatch,
    problem_statement: taskText(id, "issue.md"),
    hints_text: "",
    created_at: "2024-01-01T00:00:00Z",
    version: "1.0",
    FAIL_TO_PASS: JSON.stringify(task.FAIL_TO_PASS),
    PASS_TO_PASS: JSON.stringify(task.PASS_TO_PASS),
    environment_setup_commit: task.base_commit,
    difficulty: task.difficulty,
    eval_script: evalScript(task.base_commit, testPatch, Object.keys(miniFiles(id))),
    log_parser: "parse_log_django",
    eval_type: "pass_and_fail",
    image: `sweb.eval.x86_64.${id}:latest`,
  };
}
