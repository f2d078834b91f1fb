import { ForkGymError } from "../errors.ts";
import { shown } from "./answers.ts";
import type { CheckpointView, Route, Strategy } from "./strategy.ts";

/**
 * Passes a strategy's routes on.
 * @throws {ForkGymError} naming the strategy, unless there is one route of a known kind for each active branch.
 */
export function checkedRoutes(
  { name }: Pick<Strategy, "name">,
  { active }: Pick<CheckpointView, "active">,
  routes: readonly Route[],
): readonly Route[] {
  if (!Array.isArray(routes) || routes.length !== active.length) {
    const got = Array.isArray(routes) ? `${routes.length} routes` : shown(routes);
    throw new ForkGymError(`rollout: strategy ${name} gave ${got} for ${active.length} active branches`);
  }
  routes.forEach((route: Route | undefined, index) => {
    const at = `rollout: strategy ${name}, branch ${active[index]!.path}`;
    const kind: unknown = route?.kind;
    if (kind !== "survive" && kind !== "prune" && kind !== "expand") {
      throw new ForkGymError(`${at}: expected a route of kind survive, prune or expand, got ${shown(kind)}`);
    }
    if (route?.kind === "expand" && !(Number.isSafeInteger(route.children) && route.children >= 1)) {
      const got = shown(route.children);
      throw new ForkGymError(`${at}: expected \`children\` to be a whole number from 1 up, got ${got}`);
    }
  });
  return routes;
}

/**
 * The routes with expansions cut back, the later ones first, until there are no more branches than `turns`; an
 * expansion that would add nothing is a survival.
 */
export function withinTurns(routes: readonly Route[], turns: number): readonly Route[] {
  if (turns === Number.POSITIVE_INFINITY) return routes;
  let room = turns - routes.filter(({ kind }) => kind !== "prune").length;
  return routes.map((route): Route => {
    if (route.kind !== "expand") return route;
    const own = route.keepParent ? 0 : 1;
    const added = Math.min(route.children - own, Math.max(0, room));
    room -= added;
    return added < 1 && route.children > own ? { kind: "survive" } : { ...route, children: added + own };
  });
}
