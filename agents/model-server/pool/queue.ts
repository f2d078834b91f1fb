import type { Call } from "./call.ts";
import type { Endpoint } from "./endpoint.ts";

/** What is known of the requests of one tree. */
export interface Tree {
  /** Its name; absent for the requests that have none, which wait as if they were one tree. */
  readonly key: string | undefined;
  /** All endpoints, the tree's own first. */
  readonly ranking: readonly Endpoint[];
  /** Waiting, in order of arrival. */
  readonly waiting: Set<Call>;
  inFlight: number;
  /** Where it stays after it went elsewhere. */
  stays: Endpoint | undefined;
  /** The weights it has seen. */
  weights: { readonly version: string | undefined } | undefined;
  /** Its place in the order of trees that wait: lowest is next. */
  turn: number;
}

/** The trees that wait for one endpoint, next one first. */
interface Line {
  readonly trees: Set<Tree>;
  calls: number;
}

/**
 * What waits. Trees take turns, one request each; within a tree the first come is the first served. Each tree stands
 * in the line of the endpoint that `homeOf` names, or in the common line (undefined).
 */
export class FairQueue {
  readonly #homeOf: (tree: Tree) => Endpoint | undefined;
  readonly #lines = new Map<Endpoint | undefined, Line>();
  readonly #lineOf = new Map<Tree, Line>();
  readonly #arrivals = new Set<Call>();
  #turns = 0;

  constructor(homeOf: (tree: Tree) => Endpoint | undefined) {
    this.#homeOf = homeOf;
  }

  get size(): number {
    return this.#arrivals.size;
  }

  /** The call that has waited longest. */
  get oldest(): Call | undefined {
    return this.#arrivals.values().next().value;
  }

  /** Calls in the line of `home`. */
  waitingFor(home: Endpoint): number {
    return this.#lines.get(home)?.calls ?? 0;
  }

  /** The trees in the line of `home`, next one first. */
  line(home: Endpoint | undefined): Iterable<Tree> {
    return this.#lines.get(home)?.trees ?? [];
  }

  /** The tree that is next of all. */
  first(): Tree | undefined {
    let first: Tree | undefined;
    for (const { trees } of this.#lines.values()) {
      const head: Tree | undefined = trees.values().next().value;
      if (head !== undefined && (first === undefined || head.turn < first.turn)) first = head;
    }
    return first;
  }

  add(call: Call): void {
    const { tree } = call;
    this.#arrivals.add(call);
    tree.waiting.add(call);
    const line = this.#lineOf.get(tree);
    if (line !== undefined) line.calls++;
    else this.#enter(tree);
  }

  /** Takes a call out without its tree losing its turn. */
  remove(call: Call): void {
    const { tree } = call;
    if (!this.#arrivals.delete(call)) return;
    tree.waiting.delete(call);
    const line = this.#lineOf.get(tree)!;
    line.calls--;
    if (tree.waiting.size === 0) {
      line.trees.delete(tree);
      this.#lineOf.delete(tree);
    }
  }

  /** Takes the tree's first call; if there are more, the tree goes to the end of its line. */
  take(tree: Tree): Call {
    const call: Call = tree.waiting.values().next().value!;
    this.remove(call);
    if (tree.waiting.size > 0) {
      this.#leave(tree);
      this.#enter(tree);
    }
    return call;
  }

  /** Sends every tree to the line where it now belongs; turns stay as they are. */
  rehome(): void {
    // Trees are in this map in the order of their turns.
    const trees = [...this.#lineOf.keys()];
    this.#lines.clear();
    this.#lineOf.clear();
    for (const tree of trees) this.#stand(tree);
  }

  #enter(tree: Tree): void {
    tree.turn = ++this.#turns;
    this.#stand(tree);
  }

  #leave(tree: Tree): void {
    const line = this.#lineOf.get(tree)!;
    line.calls -= tree.waiting.size;
    line.trees.delete(tree);
    this.#lineOf.delete(tree);
  }

  #stand(tree: Tree): void {
    const home = this.#homeOf(tree);
    let line = this.#lines.get(home);
    if (line === undefined) {
      line = { trees: new Set(), calls: 0 };
      this.#lines.set(home, line);
    }
    line.trees.add(tree);
    line.calls += tree.waiting.size;
    this.#lineOf.set(tree, line);
  }
}
