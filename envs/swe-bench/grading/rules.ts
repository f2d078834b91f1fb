/** Whose rules a verdict follows: SWE-bench's harness as released in 4.1.0, or as of 5.0.2. */
export type RuleSet = "v4.1" | "v5";

export const RULE_SETS: readonly RuleSet[] = ["v4.1", "v5"];
