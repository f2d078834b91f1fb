import { onlyKnown, wholeFrom } from "../../check.ts";
import type { Strategy } from "../strategy.ts";

export interface IndependentOptions {
  /** Episodes. @default 8, the group size of GRPO and DAPO in the PATR paper. */
  readonly n?: number;
}

/** `n` episodes that know nothing of each other: the groups of GRPO, RLOO and DAPO. */
export function independent(options: IndependentOptions = {}): Strategy {
  const { n = 8 } = options;
  onlyKnown("independent", options, { n });
  wholeFrom(1, "independent", "n", n);
  return { name: "independent", options: { n }, roots: n, scored: false };
}
