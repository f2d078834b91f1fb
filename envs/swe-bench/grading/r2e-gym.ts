import { InputError } from "../../../core/errors.ts";
import type { SweInstance } from "../instance.ts";
import { type Grade, graded, refused } from "./outcome.ts";
import { before, byCodePoint, pattern, strip } from "./parsers/python-text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins a colour code
const COLOURS_AND_RETURNS = /\x1b\[[0-9;]*m|\r/g;
const COLOUR = pattern("\\x1b\\[\\d+m", "g");
const SUMMARY = "short test summary info";

/**
 * R2E-Gym's own verdict on what `run_tests.sh` printed (R2E-Gym, agenthub/runtime/docker.py and
 * repo_analysis/execution_log_parser.py): resolved if the tests of pytest's summary are those of the row's
 * `expected_output_json`, each with the same status. Failing tests may be expected to fail.
 *
 * FAIL_TO_PASS holds the expected tests, by whether their status is as it should be, and what was not expected.
 *
 * @throws {InputError} if the row has no expected output.
 */
export function gradeR2e(instance: SweInstance, log: string): Grade {
  const { expectedOutput } = instance.hidden;
  if (expectedOutput === null) throw new InputError(`grading: ${instance.id} has no expected_output_json`);
  const text = log.replace(COLOURS_AND_RETURNS, "");
  if (!text.includes(SUMMARY)) return refused("no markers", text);
  const expected = comparable(Object.entries(expectedOutput));
  const got = comparable(summaryStatuses(text));
  const asExpected = (name: string) => got.get(name) === expected.get(name);
  const [success, failure] = [[...expected.keys()].filter(asExpected), [] as string[]];
  failure.push(...[...expected.keys()].filter((name) => !asExpected(name)));
  failure.push(...[...got.keys()].filter((name) => !expected.has(name)));
  const none = { success: [], failure: [] };
  return graded(
    { FAIL_TO_PASS: { success, failure }, PASS_TO_PASS: none, FAIL_TO_FAIL: none, PASS_TO_FAIL: none },
    failure.length === 0 ? "RESOLVED_FULL" : "RESOLVED_NO",
  );
}

function summaryStatuses(text: string): ReadonlyMap<string, string> {
  const statuses = new Map<string, string>();
  for (const line of strip(text.split(SUMMARY)[1]!).split("\n")) {
    const name = line.split("::").slice(1).join(".");
    if (line.includes("PASSED")) statuses.set(name, "PASSED");
    else if (line.includes("FAILED")) statuses.set(before(name, " - "), "FAILED");
    else if (line.includes("ERROR")) statuses.set(before(name, " - "), "ERROR");
  }
  return statuses;
}

/** Names without colours and without what follows " - "; where two become one, the last in order counts. */
function comparable(statuses: Iterable<readonly [string, string]>): ReadonlyMap<string, string> {
  const plain = new Map([...statuses].map(([name, status]) => [name.replace(COLOUR, ""), status]));
  const sorted = [...plain].sort(([a], [b]) => byCodePoint(a, b));
  return new Map(sorted.map(([name, status]) => [before(name, " - "), status]));
}
