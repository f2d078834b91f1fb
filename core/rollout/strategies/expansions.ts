import type { CheckpointView, Route } from "../strategy.ts";

/**
 * How many branches a checkpoint may add: to `maxLeaves` leaves, finished and active together, and to as many branches
 * as the tree has turns for.
 * @param going active branches that are not pruned now.
 */
export function roomFor(
  { active, leaves, turns = Number.POSITIVE_INFINITY }: CheckpointView,
  maxLeaves: number = Number.POSITIVE_INFINITY,
  going: number = active.length,
): number {
  return Math.min(maxLeaves - leaves - active.length, turns - going);
}

/**
 * Expansions of the `chosen` branches, first come first served, that add at most `room` branches in all.
 * The last one may get fewer children than asked for; one that would add nothing is left out.
 */
export function expansions(options: {
  readonly chosen: readonly number[];
  readonly children: number;
  readonly keepParent: boolean;
  readonly room: number;
}): Map<number, Route> {
  const { chosen, keepParent } = options;
  const own = keepParent ? 0 : 1;
  const routes = new Map<number, Route>();
  let room = options.room;
  for (const index of chosen) {
    const added = Math.min(options.children - own, room);
    if (added < 1) break;
    room -= added;
    routes.set(index, { kind: "expand", children: added + own, keepParent });
  }
  return routes;
}
