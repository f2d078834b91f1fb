import type { ScoreReport, Scorer } from "../scorer.ts";
import type { Task } from "../task.ts";
import type { Tracer } from "../trace/tracer.ts";
import { checkedScore, checkUsage, isGiven } from "./answers.ts";
import type { Branch } from "./branch.ts";
import { addScorerUsage, type Budget } from "./budget.ts";
import { scoreSpan } from "./spans.ts";
import type { TreeTime } from "./tree-time.ts";

interface ScoringOptions<Data, Obs, Act> {
  readonly task: Task<Data>;
  readonly scorer: Scorer<Data, Obs, Act>;
  readonly budget: Budget;
  readonly time: TreeTime;
  readonly tracer: Tracer | undefined;
  readonly onProblem: (where: string, error: unknown) => void;
}

/** Asks the scorer of one tree, and keeps what it reports. */
export class Scoring<Data, Obs, Act> {
  readonly #options: ScoringOptions<Data, Obs, Act>;
  /** How often the scorer reported each. */
  readonly #faults = new Map<string, number>();

  constructor(options: ScoringOptions<Data, Obs, Act>) {
    this.#options = options;
  }

  /** What the scorer reported, in words. */
  get problems(): string[] {
    const { scorer } = this.#options;
    return [...this.#faults].map(([fault, count]) => `scorer ${scorer.name}: ${fault} (${count})`);
  }

  /** Undefined if there is no score, whatever the reason. */
  async score(branch: Branch<Data, Obs, Act>): Promise<number | undefined> {
    const { task, scorer, budget, time, tracer, onProblem } = this.#options;
    if (time.stopped) return undefined;
    budget.scorerCalls++;
    const { node } = branch;
    const where = `scorer ${scorer.name}, branch ${branch.path}, turn ${node.turn}`;
    // What comes once the score is given up no longer belongs to the tree.
    let waiting = true;
    const report = (each: ScoreReport) => {
      if (waiting) this.#reported(each, where);
    };
    try {
      const ask = () =>
        time.wait("the score", async (signal) => scorer.score({ task, node, signal, report }));
      return checkedScore(await (tracer === undefined ? ask() : scoreSpan(tracer, branch, scorer, ask)));
    } catch (error) {
      onProblem(where, error);
      return undefined;
    } finally {
      waiting = false;
    }
  }

  #reported({ usage, fault }: ScoreReport, where: string): void {
    if (isGiven(fault)) this.#faults.set(fault!, (this.#faults.get(fault!) ?? 0) + 1);
    if (!isGiven(usage)) return;
    try {
      checkUsage("what it reported", usage);
      addScorerUsage(this.#options.budget, usage!);
    } catch (error) {
      this.#options.onProblem(where, error);
    }
  }
}
