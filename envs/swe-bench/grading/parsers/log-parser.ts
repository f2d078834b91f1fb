import { ForkGymError } from "../../../../core/errors.ts";
import type { RuleSet } from "../rules.ts";

/**
 * What a log says of each test, in the order of first mention. The value is one of PASSED, FAILED, SKIPPED,
 * ERROR and XFAIL, except where a line of pytest's merely begins as one does ("ERROR: not found"): such a word
 * is kept as it is, and is neither a pass nor a failure.
 */
export type StatusMap = Map<string, string>;

/**
 * Reads test results out of a log with "\n" line ends. `id` is the instance's, for the two repositories whose
 * runner changed from one task to the next.
 *
 * @throws {UnreadableLog} where the official parser stops with an error, so that its run has no report.
 */
export type LogParser = (log: string, rules: RuleSet, id: string) => StatusMap;

/** The official parser has no answer for this log: it fails on it. */
export class UnreadableLog extends ForkGymError {
  override readonly name = "UnreadableLog";
}
