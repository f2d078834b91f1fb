import { isMixed } from "./group.ts";

export interface DynamicSamplingOptions {
  /** What to do with a group of one sample, whose rewards cannot differ. verl keeps it. @default "keep" */
  readonly singletons?: "keep" | "drop";
}

/**
 * DAPO's dynamic sampling (arXiv 2503.14476): keeps the groups whose rewards differ; the others would have no
 * gradient and only dilute the batch. The caller samples more tasks until `kept` is long enough. A group
 * without rewards is filtered.
 *
 * Works on groups of any size and never cuts one. verl's DAPO trainer fills a batch and then truncates it to
 * prompts * n rows by position, which holds only if every prompt has n rows: with trees it would end in the
 * middle of a group, whose advantages then no longer sum to zero. So count groups, not rows, and if a batch
 * must be cut, cut the list of groups: `kept.slice(0, 64)`.
 */
export function dynamicSampling<G extends { readonly rewards: readonly number[] }>(
  groups: readonly G[],
  options: DynamicSamplingOptions = {},
): { kept: G[]; filtered: G[] } {
  const { singletons = "keep" } = options;
  const kept: G[] = [];
  const filtered: G[] = [];
  for (const group of groups) {
    const keep = isMixed(group) || (group.rewards.length === 1 && singletons === "keep");
    (keep ? kept : filtered).push(group);
  }
  return { kept, filtered };
}
