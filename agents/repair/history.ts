import type { Json } from "../../core/json.ts";
import type { Node } from "../../core/rollout/tree.ts";
import { type Report, reportIn, type Spot } from "./report.ts";
import type { Attempt } from "./search.ts";

/** What the policy records with each of its turns; its own memory, and JSON. */
export type Step =
  | { readonly step: "look" }
  | { readonly step: "try"; readonly attempt: Attempt; readonly key: string }
  | { readonly step: "restore" }
  | { readonly step: "submit"; readonly why: string };

/** What is known at a node. */
export interface Knowledge {
  /** Of the last report that had one; undefined before the first. */
  readonly verdict: Report["verdict"] | undefined;
  readonly spots: readonly Spot[];
  readonly tried: ReadonlySet<string>;
  /** File whose last edit may or may not have been taken back: its command was cut off. */
  readonly unsure: string | undefined;
  /** First runs of the checks. */
  readonly looks: number;
}

const NOTHING: Knowledge = {
  verdict: undefined,
  spots: [],
  tried: new Set(),
  unsure: undefined,
  looks: 0,
};

/** Knowledge of nodes, each made of its parent's and its own turn, and kept as long as the node. */
export class History<Obs> {
  readonly #known = new WeakMap<Node<Obs, unknown>, Knowledge>();
  readonly #textOf: (observation: Obs) => string;

  constructor(textOf: (observation: Obs) => string) {
    this.#textOf = textOf;
  }

  at(node: Node<Obs, unknown>): Knowledge {
    // Upwards in a loop: a path may be longer than the stack is deep.
    const path: Node<Obs, unknown>[] = [];
    let from: Node<Obs, unknown> | undefined = node;
    while (from !== undefined && !this.#known.has(from)) {
      path.push(from);
      from = from.parent;
    }
    let knowledge = from === undefined ? NOTHING : this.#known.get(from)!;
    for (const next of path.reverse()) {
      knowledge = this.#after(knowledge, next);
      this.#known.set(next, knowledge);
    }
    return knowledge;
  }

  #after(before: Knowledge, { choice, observation }: Node<Obs, unknown>): Knowledge {
    const step = stepOf(choice?.sample);
    if (step === undefined || step.step === "submit") return before;
    if (step.step === "restore") return { ...before, unsure: undefined };
    const report = reportIn(this.#textOf(observation));
    const tried = step.step === "try" ? new Set([...before.tried, step.key]) : before.tried;
    return {
      verdict: report?.verdict ?? before.verdict,
      spots: report?.spots ?? before.spots,
      tried,
      unsure: report === undefined && step.step === "try" ? step.attempt.path : undefined,
      looks: before.looks + (step.step === "look" ? 1 : 0),
    };
  }
}

function stepOf(sample: Json | undefined): Step | undefined {
  return typeof sample === "object" && sample !== null && "step" in sample
    ? (sample as unknown as Step)
    : undefined;
}
