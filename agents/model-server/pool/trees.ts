import type { SampleRequest } from "../model-server.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Tree } from "./queue.ts";
import { rendezvous } from "./rendezvous.ts";

/** The trees that a pool knows; the idle ones used longest ago are forgotten. */
export class TreeBook {
  readonly #endpoints: readonly Endpoint[];
  readonly #most: number;
  readonly #trees = new Map<string, Tree>();
  readonly #nobody: Tree;

  constructor(endpoints: readonly Endpoint[], most: number) {
    this.#endpoints = endpoints;
    this.#most = most;
    this.#nobody = newTree(undefined, []);
  }

  /** The tree that a request is for, made if it is new; trees of one affinity have the same ranking of endpoints. */
  of({ affinity, tree: key = affinity }: Pick<SampleRequest, "affinity" | "tree">): Tree {
    if (key === undefined) return this.#nobody;
    let tree = this.#trees.get(key);
    if (tree === undefined) {
      this.#forget();
      tree = newTree(key, rendezvous(affinity ?? key, this.#endpoints));
    } else this.#trees.delete(key);
    this.#trees.set(key, tree);
    return tree;
  }

  #forget(): void {
    for (const [key, { inFlight, waiting }] of this.#trees) {
      if (this.#trees.size < this.#most) return;
      if (inFlight === 0 && waiting.size === 0) this.#trees.delete(key);
    }
  }
}

function newTree(key: string | undefined, ranking: readonly Endpoint[]): Tree {
  return { key, ranking, waiting: new Set(), inFlight: 0, stays: undefined, weights: undefined, turn: 0 };
}
