import { InputError } from "../../../core/errors.ts";
import { END, START } from "../grading/markers.ts";
import type { RuleSet } from "../grading/rules.ts";
import type { SweFamily, SweInstance } from "../instance.ts";

/**
 * Why no patch of this instance, the reference patch included, can get a verdict, in words that say what to do;
 * undefined if one can.
 */
export function whyUngradable(
  { family, hidden: { evalScript } }: SweInstance,
  rules: RuleSet = "v5",
): string | undefined {
  if (evalScript === null)
    return "it has no eval_script, and none is known for its repository and version; add one to the row";
  // The rules of v5 put `set -x` in front of every script.
  if (rules === "v5" || family === "r2e-gym" || !isTraced(evalScript) || /^\s*set\s+-.*x/m.test(evalScript))
    return undefined;
  return "its eval_script has no `set -x`, so that its markers would not be in the log; add `set -uxo pipefail`, or use the rules v5";
}

/**
 * An eval script that came with the row: its log is read between two markers, R2E-Gym's without them.
 * @throws {InputError} if it prints none.
 */
export function checkedScript(script: string, family: SweFamily): string {
  if (family === "r2e-gym") return script;
  const commands = script.split("\n").filter((line) => !line.trimStart().startsWith("#"));
  const at = (marker: string) => commands.findIndex((line) => line.includes(marker));
  const [start, end] = [at(START), at(END)];
  const missing = start < 0 ? START : end < 0 ? END : undefined;
  if (missing !== undefined)
    throw new InputError(
      `eval_script: expected the line : '${missing}' ${missing === START ? "before" : "after"} the test command, got none; ` +
        "without it no patch would count as resolved; add it, or leave the field out where a script is known",
    );
  if (end < start)
    throw new InputError(
      `eval_script: expected : '${START}' before : '${END}', got them the other way round; swap them`,
    );
  // SWE-smith's grader looks for the two as `set -x` shows them.
  if (family === "swe-smith" && !isTraced(script))
    throw new InputError(
      `eval_script: expected the markers of a SWE-smith row as : '${START}' and : '${END}'; write them so`,
    );
  return script;
}

/** Whether a marker is an argument of `:`, which prints nothing: `set -x` does. */
function isTraced(script: string): boolean {
  return [START, END].some((marker) => new RegExp(`^\\s*:\\s+['"]?${marker}`, "m").test(script));
}
