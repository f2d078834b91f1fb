import type { Endpoint } from "./endpoint.ts";
import type { FairQueue, Tree } from "./queue.ts";
import type { WeightRule } from "./weights.ts";

/** What is to be sent where. */
export interface Next {
  readonly tree: Tree;
  readonly endpoint: Endpoint;
  /** It goes there because too many wait for its own endpoint. */
  readonly overflow: boolean;
}

/** Decides where a tree belongs and what is sent next. Sends nothing itself. */
export class Router {
  readonly #endpoints: readonly Endpoint[];
  readonly #queue: FairQueue;
  readonly #weights: WeightRule;
  #up: readonly boolean[] = [];

  constructor(endpoints: readonly Endpoint[], queue: FairQueue, weights: WeightRule) {
    this.#endpoints = endpoints;
    this.#queue = queue;
    this.#weights = weights;
  }

  /**
   * The tree's endpoint: where it stays, else the first in its ranking that is up. Of those that are up, the ones come
   * last that are known to have other weights than the tree may see, and before them those that may have. None for a tree without a key, or if nothing is up.
   */
  homeOf(tree: Tree, now: number): Endpoint | undefined {
    if (tree.stays?.isUp(now) === false) tree.stays = undefined;
    const ranking = tree.stays === undefined ? tree.ranking : [tree.stays, ...tree.ranking];
    const up = ranking.filter((endpoint) => endpoint.isUp(now));
    return (
      up.find((endpoint) => this.#weights.fitsSurely(tree, endpoint)) ??
      up.find((endpoint) => this.#weights.fits(tree, endpoint)) ??
      up[0]
    );
  }

  /** Trees may belong elsewhere now. */
  changed(): void {
    this.#up = [];
  }

  /** Sends the waiting trees where they belong, if that can have changed. */
  look(now: number): void {
    const up = this.#endpoints.map((endpoint) => endpoint.isUp(now));
    if (up.length === this.#up.length && up.every((isUp, place) => isUp === this.#up[place])) return;
    for (const [place, endpoint] of this.#endpoints.entries()) if (!up[place]) endpoint.wentDown();
    this.#up = up;
    this.#queue.rehome();
  }

  next(now: number): Next | undefined {
    if (this.#queue.size === 0) return undefined;
    return this.#probe(now) ?? this.#atHome(now) ?? this.#elsewhere(now);
  }

  /** An endpoint that has to prove itself, and that no health check asks already, gets the next request of all. */
  #probe(now: number): Next | undefined {
    const endpoint = this.#endpoints.find((each) => each.wantsProbe(now));
    const tree = endpoint && this.#queue.first();
    return endpoint && tree && { tree, endpoint, overflow: false };
  }

  /** Among the trees that are first in a line with a free place, the one whose turn comes first. */
  #atHome(now: number): Next | undefined {
    let next: Next | undefined;
    const consider = (line: Endpoint | undefined, endpoint: Endpoint) => {
      for (const tree of this.#queue.line(line)) {
        if (next === undefined || tree.turn < next.tree.turn) next = { tree, endpoint, overflow: false };
        break;
      }
    };
    const free = this.#free(now);
    for (const endpoint of free) consider(endpoint, endpoint);
    if (free[0] !== undefined) consider(undefined, free[0]);
    return next;
  }

  /** From the line that is longest beyond its bound, the first tree that may go to a free endpoint. */
  #elsewhere(now: number): Next | undefined {
    const free = this.#free(now);
    if (free.length === 0) return undefined;
    const excess = (endpoint: Endpoint) => this.#queue.waitingFor(endpoint) - endpoint.overflowAt;
    const long = this.#endpoints
      .filter((endpoint) => excess(endpoint) > 0)
      .sort((a, b) => excess(b) - excess(a));
    for (const line of long) {
      for (const tree of this.#queue.line(line)) {
        const endpoint = free.find((candidate) => this.#weights.fitsSurely(tree, candidate));
        if (endpoint !== undefined) return { tree, endpoint, overflow: true };
      }
    }
    return undefined;
  }

  /** Endpoints that are up and have a free place, least loaded first. */
  #free(now: number): Endpoint[] {
    return this.#endpoints
      .filter((endpoint) => endpoint.hasRoom && endpoint.isUp(now))
      .sort((a, b) => a.load - b.load);
  }
}
