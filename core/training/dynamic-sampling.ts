import { oneOf, onlyKnown } from "../check.ts";
import { isMixed, isRemnant } from "./group.ts";

export interface DynamicSamplingOptions {
  /**
   * What to do with a group of one sample, whose rewards cannot differ. verl keeps it. One that is not `complete` is
   * what failures left of a larger group, and is filtered either way. @default "keep"
   */
  readonly singletons?: "keep" | "drop";
}

/**
 * DAPO's dynamic sampling (arXiv 2503.14476): keeps the groups whose rewards differ; the others would have no
 * gradient and only dilute the batch. The caller samples more tasks until `kept` is long enough. A group
 * without rewards is filtered. One that does not say whether it is `complete` is taken to be.
 *
 * Works on groups of any size and never cuts one. verl's DAPO trainer fills a batch and then truncates it to
 * prompts * n rows by position, which holds only if every prompt has n rows: with trees it would end in the
 * middle of a group, whose advantages then no longer sum to zero. So count groups, not rows, and if a batch
 * must be cut, cut the list of groups: `kept.slice(0, 64)`.
 * @throws {InputError} on an unknown option or value.
 */
export function dynamicSampling<
  G extends { readonly rewards: readonly number[]; readonly complete?: boolean },
>(groups: readonly G[], options: DynamicSamplingOptions = {}): { kept: G[]; filtered: G[] } {
  const { singletons = "keep" } = options;
  onlyKnown("dynamicSampling", options, { singletons });
  oneOf(["keep", "drop"], "dynamicSampling", "singletons", singletons);
  const kept: G[] = [];
  const filtered: G[] = [];
  for (const group of groups) {
    const alone = group.rewards.length === 1 && !isRemnant(group) && singletons === "keep";
    const keep = isMixed(group) || alone;
    (keep ? kept : filtered).push(group);
  }
  return { kept, filtered };
}
