import { wholeFrom } from "../check.ts";
import type { Clock } from "../clock.ts";
import type { Settlement } from "../env.ts";
import { ContextLimitError, messageOf } from "../errors.ts";
import { forEachPooled } from "../pool.ts";
import { createRng, deriveSeed, type Rng } from "../rng.ts";
import type { Task } from "../task.ts";
import { checkedSettlement, finiteSum } from "./answers.ts";
import { type Branch, Handle } from "./branch.ts";
import { type Budget, emptyBudget } from "./budget.ts";
import type { RolloutOptions } from "./engine.ts";
import { Handles } from "./handles.ts";
import { CLOSE_MS, type Limits } from "./limits.ts";
import { checkedRoutes, withinTurns } from "./routes.ts";
import { Scoring } from "./scoring.ts";
import { evenShares } from "./shares.ts";
import { forkSpan, turnSpan } from "./spans.ts";
import type { BranchView, Route } from "./strategy.ts";
import {
  type BranchRecord,
  type Checkpoint,
  type Leaf,
  type LeafEnd,
  type Node,
  type Routing,
  rewardTo,
  type Tree,
} from "./tree.ts";
import { TreeTime } from "./tree-time.ts";
import { takeTurn } from "./turn.ts";

type GrowthOptions<Data, Obs, Act> = RolloutOptions<Data, Obs, Act> & {
  readonly limits: Limits;
  readonly concurrency: number;
  readonly clock: Clock;
};

type Outcome = Pick<Leaf<unknown, unknown>, "reward" | "info" | "error">;
type CutEnd = Exclude<LeafEnd, "error" | "aborted">;

/** One tree while it grows. Used once. */
export class Growth<Data, Obs, Act> {
  readonly #task: Task<Data>;
  readonly #options: GrowthOptions<Data, Obs, Act>;
  readonly #time: TreeTime;
  readonly #rng: Rng;
  readonly #budget: Budget = emptyBudget();
  readonly #handles = new Handles<Data, Obs, Act>();
  readonly #scoring: Scoring<Data, Obs, Act> | undefined;
  /** In the order in which they were begun, which depends on the seed alone. */
  readonly #branches: { record: BranchRecord<Obs, Act>; nodes: Node<Obs, Act>[]; leaf?: Leaf<Obs, Act> }[] =
    [];
  readonly #slots = new Map<string, number>();
  readonly #checkpoints: Checkpoint[] = [];
  readonly #problems: string[] = [];
  #active: Branch<Data, Obs, Act>[] = [];
  #root: Node<Obs, Act> | undefined;
  #leaves = 0;
  #roots = 0;

  constructor(task: Task<Data>, options: GrowthOptions<Data, Obs, Act>) {
    this.#task = task;
    this.#options = options;
    this.#time = new TreeTime(options.limits, options.clock, options.signal);
    this.#rng = createRng(deriveSeed(options.seed, task.id, "strategy"));
    const { scorer, tracer } = options;
    const onProblem = (where: string, error: unknown) => this.#problem(where, error);
    this.#scoring =
      scorer && new Scoring({ task, scorer, budget: this.#budget, time: this.#time, tracer, onProblem });
  }

  async run(): Promise<Tree<Data, Obs, Act>> {
    try {
      await this.#grow();
    } catch (error) {
      if (this.#root === undefined) this.#problem("reset", error);
      else if (this.#active.length === 0) this.#problem(`strategy ${this.#options.strategy.name}`, error);
      for (const branch of this.#active) if (branch.active) this.#fail(branch, error);
    } finally {
      const { closeMs = CLOSE_MS } = this.#options.limits;
      await this.#handles.closeAll(closeMs, (error) => this.#problem("close", error));
      this.#time.stop();
    }
    return this.#tree();
  }

  async #grow(): Promise<void> {
    const { strategy, seed, env: make } = this.#options;
    const origin = this.#handles.add(new Handle(Promise.resolve().then(make)));
    this.#budget.resets++;
    const observation = await this.#time.wait("making and resetting the Env", async (signal) => {
      const env = await origin.env;
      signal.throwIfAborted();
      return env.reset({ task: this.#task, seed: deriveSeed(seed, this.#task.id, "reset") });
    });
    this.#root = { branch: "", turn: 0, observation, reward: 0, repeats: 0 };
    const begin = strategy.topUp === undefined ? this.#rootsOf(origin) : this.#rootsKeeping(origin);
    this.#active = begin(Math.min(strategy.roots, this.#turnsLeft));
    while (this.#active.length > 0) {
      await this.#round();
      if (this.#active.length === 0) this.#active = begin(Math.min(this.#topUp(), this.#turnsLeft));
      else if (!this.#time.stopped) await this.#checkpoint();
    }
  }

  /** Infinity where the tree's turns are not limited. */
  get #turnsLeft(): number {
    const { treeTurns = Number.POSITIVE_INFINITY } = this.#options.limits;
    return Math.max(0, treeTurns - this.#budget.turns);
  }

  /** Fresh branches that the strategy wants, now that none is active. */
  #topUp(): number {
    const { strategy } = this.#options;
    if (strategy.topUp === undefined || this.#time.stopped) return 0;
    return wholeFrom(0, "rollout", "strategy.topUp(leaves)", strategy.topUp(this.#leaves));
  }

  /** Initial branches of which the first goes on in the Env that was reset. Works once. */
  #rootsOf(origin: Handle<Data, Obs, Act>): (count: number) => Branch<Data, Obs, Act>[] {
    return (count) => {
      if (count === 0) return [];
      const paths = Array.from({ length: count - 1 }, (_, index) => String(index + 1));
      const first = this.#begin("0", origin, this.#root!, null);
      return [first, ...this.#forks(origin, paths, this.#root!)];
    };
  }

  /** Initial branches that are all forks, so that more can be begun later on. */
  #rootsKeeping(origin: Handle<Data, Obs, Act>): (count: number) => Branch<Data, Obs, Act>[] {
    origin.keepSnapshot(this.#budget);
    return (count) => {
      const paths = Array.from({ length: count }, () => String(this.#roots++));
      return this.#forks(origin, paths, this.#root!);
    };
  }

  #forks(
    handle: Handle<Data, Obs, Act>,
    paths: readonly string[],
    from: Node<Obs, Act>,
  ): Branch<Data, Obs, Act>[] {
    if (paths.length === 0) return [];
    const { seed } = this.#options;
    const seeds = paths.map((path) => deriveSeed(seed, this.#task.id, path, "env"));
    const { tracer } = this.#options;
    const forks = handle.fork(
      seeds,
      this.#budget,
      (error) => this.#problem("release", error),
      tracer && ((place, work) => forkSpan(tracer, paths[place]!, from.turn, work)),
    );
    return forks.map((fork, index) =>
      this.#begin(paths[index]!, this.#handles.add(fork), from, seeds[index]!),
    );
  }

  #begin(path: string, handle: Handle<Data, Obs, Act>, from: Node<Obs, Act>, seed: number | null) {
    this.#slots.set(path, this.#branches.length);
    this.#branches.push({ record: { path, from, seed }, nodes: [] });
    const rng = createRng(deriveSeed(this.#options.seed, this.#task.id, path, "policy"));
    const branch: Branch<Data, Obs, Act> = {
      path,
      handle,
      rng,
      node: from,
      children: 0,
      share: Number.POSITIVE_INFINITY,
      stepping: false,
      standing: false,
      active: true,
    };
    return branch;
  }

  /** Advances the active branches until each has ended or stands at a checkpoint, or the tree's turns are used up. */
  async #round(): Promise<void> {
    const { concurrency } = this.#options;
    for (let going = this.#active; going.length > 0 && this.#turnsLeft > 0; ) {
      const shares = evenShares(this.#turnsLeft, going.length);
      going.forEach((branch, index) => {
        branch.share = shares[index]!;
      });
      await forEachPooled(going, concurrency, (branch) => this.#advance(branch));
      going = going.filter(({ active, standing }) => active && !standing);
    }
    const left = this.#active.filter(({ active }) => active);
    if (this.#turnsLeft === 0) {
      await forEachPooled(left, concurrency, (branch) =>
        this.#ending(branch, () => this.#cut(branch, "turn-limit")),
      );
    }
    this.#active = left.filter(({ active }) => active);
    for (const branch of this.#active) branch.standing = false;
  }

  async #advance(branch: Branch<Data, Obs, Act>): Promise<void> {
    try {
      await this.#turns(branch);
    } catch (error) {
      await this.#ending(branch, async () => {
        if (this.#time.isUp(error)) await this.#cutShort(branch, "time-limit");
        else if (error instanceof ContextLimitError) await this.#cutShort(branch, "context-limit");
        else throw error;
      });
    }
  }

  /** Takes turns until the branch ends, stands at a checkpoint or has used its share. */
  async #turns(branch: Branch<Data, Obs, Act>): Promise<void> {
    const { strategy, limits, tracer } = this.#options;
    const slot = this.#branches[this.#slots.get(branch.path)!]!;
    for (;;) {
      if (this.#time.aborted) return this.#finish(branch, "aborted");
      if (this.#time.over) return await this.#cutShort(branch, "time-limit");
      if (branch.share === 0) return;
      branch.share--;
      const node = await (tracer === undefined
        ? this.#turn(branch)
        : turnSpan(tracer, branch, () => this.#turn(branch)));
      branch.node = node;
      slot.nodes.push(node);
      if (node.end !== undefined) {
        return this.#finish(branch, node.end, { reward: finiteSum(rewardTo(node)) });
      }
      if (node.turn === limits.turns) return await this.#cut(branch, "turn-limit");
      if (strategy.stuck?.({ path: branch.path, node })) return await this.#prune(branch, "pruned-repeat");
      if (strategy.every !== undefined && node.turn % strategy.every === 0) {
        branch.standing = true;
        return;
      }
    }
  }

  async #turn(branch: Branch<Data, Obs, Act>): Promise<Node<Obs, Act>> {
    const of = { task: this.#task, policy: this.#options.policy, budget: this.#budget };
    let turn: Promise<Node<Obs, Act>> | undefined;
    try {
      return await this.#time.wait("the turn", (signal) => {
        turn = takeTurn(of, branch, signal);
        return turn;
      });
    } catch (error) {
      // The Env cannot be settled in the middle of a step, so one that is under way may still end.
      if (this.#time.isUp(error) && branch.stepping) return this.#time.waitOn("the turn", () => turn!);
      throw error;
    }
  }

  /** Runs what ends the branch; if it fails, the branch is a leaf with that error. */
  async #ending(branch: Branch<Data, Obs, Act>, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#time.aborted) this.#finish(branch, "aborted");
      else this.#fail(branch, error);
    }
  }

  /** Scores and routes the active branches, all of which stand at the same turn. */
  async #checkpoint(): Promise<void> {
    const { strategy, concurrency } = this.#options;
    if (strategy.route === undefined) return;
    const active = this.#active;
    const scores = new Map<string, number>();
    if (strategy.scored) {
      await forEachPooled(active, concurrency, async (branch) => {
        const score = await this.#scoring!.score(branch);
        if (score !== undefined) scores.set(branch.path, score);
      });
    }
    if (this.#time.stopped) return;
    const views = active.map(({ path, node }): BranchView => withScore({ path, node }, scores.get(path)));
    const turn = active[0]!.node.turn;
    const routes = this.#routes(views, turn);
    const routings = routes.map(({ kind: route }, index): Routing => {
      const { path, score } = views[index]!;
      return withScore({ branch: path, route }, score);
    });
    this.#checkpoints.push({ turn, routings });
    const pruned = active.filter((_, index) => routes[index]!.kind === "prune");
    await forEachPooled(pruned, concurrency, (branch) =>
      this.#ending(branch, () => this.#prune(branch, "pruned-score")),
    );
    this.#active = active.flatMap((branch, index) => {
      const route = routes[index]!;
      if (route.kind === "prune") return [];
      return route.kind === "expand" && !this.#time.stopped ? this.#expand(branch, route) : [branch];
    });
  }

  #routes(active: readonly BranchView[], turn: number): readonly Route[] {
    const { strategy } = this.#options;
    const turns = this.#turnsLeft;
    const view = { turn, active, leaves: this.#leaves };
    const limited = turns === Number.POSITIVE_INFINITY ? view : { ...view, turns };
    return withinTurns(checkedRoutes(strategy, view, strategy.route!(limited, this.#rng)), turns);
  }

  #expand(branch: Branch<Data, Obs, Act>, route: Route & { kind: "expand" }): Branch<Data, Obs, Act>[] {
    const path = () => `${branch.path}.${branch.children++}`;
    const own = route.keepParent ? branch : this.#begin(path(), branch.handle, branch.node, null);
    const added = Array.from({ length: route.children - (route.keepParent ? 0 : 1) }, path);
    if (!route.keepParent) branch.active = false;
    return [own, ...this.#forks(branch.handle, added, branch.node)];
  }

  async #prune(branch: Branch<Data, Obs, Act>, end: CutEnd): Promise<void> {
    const pruned = this.#options.strategy.pruned ?? "outcome";
    if (pruned === "outcome") await this.#cut(branch, end);
    else if (pruned === "zero") this.#finish(branch, end, { reward: 0 });
    else this.#finish(branch, end);
  }

  /** Ends a branch whose episode goes on, with the true outcome of where it stands. */
  async #cut(branch: Branch<Data, Obs, Act>, end: CutEnd): Promise<void> {
    const { reward, info }: Settlement = await this.#time.waitOn("settling", async (signal) => {
      const env = await branch.handle.ready();
      signal.throwIfAborted();
      return env.settle === undefined ? { reward: 0 } : checkedSettlement(await env.settle());
    });
    this.#finish(branch, end, {
      reward: finiteSum(rewardTo(branch.node) + reward),
      ...(info !== undefined && { info }),
    });
  }

  /** Ends a branch before its turn. One that took no turn adds nothing to its parent's, unless it goes on in its place. */
  async #cutShort(branch: Branch<Data, Obs, Act>, end: "time-limit" | "context-limit"): Promise<void> {
    const { from, seed } = this.#branches[this.#slots.get(branch.path)!]!.record;
    const stands = from.turn > 0 && seed === null;
    if (branch.node === from && !stands) this.#finish(branch, end);
    else await this.#cut(branch, end);
  }

  #fail(branch: Branch<Data, Obs, Act>, error: unknown): void {
    this.#problem(`branch ${branch.path}, after turn ${branch.node.turn}`, error);
    this.#finish(branch, "error", { error: messageOf(error) });
  }

  #finish(branch: Branch<Data, Obs, Act>, end: LeafEnd, outcome: Outcome = {}): void {
    branch.active = false;
    this.#leaves++;
    this.#branches[this.#slots.get(branch.path)!]!.leaf = {
      branch: branch.path,
      node: branch.node,
      end,
      ...outcome,
    };
    this.#handles.close(branch.handle);
  }

  #problem(where: string, error: unknown): void {
    this.#problems.push(`${where}: ${messageOf(error)}`);
  }

  #tree(): Tree<Data, Obs, Act> {
    const { strategy, scorer, policy, seed } = this.#options;
    const problems = [...this.#problems, ...(this.#scoring?.problems ?? [])];
    if (this.#time.aborted && problems.length === 0) problems.push("aborted");
    return {
      task: this.#task,
      seed,
      policy: policy.name,
      ...(strategy.scored && { scorer: scorer!.name }),
      strategy: { name: strategy.name, options: strategy.options },
      nodes: this.#root === undefined ? [] : [this.#root, ...this.#branches.flatMap(({ nodes }) => nodes)],
      branches: this.#branches.map(({ record }) => record),
      leaves: this.#branches.flatMap(({ leaf }) => leaf ?? []),
      checkpoints: this.#checkpoints,
      // Copies: what still comes of something that was given up is not in the tree.
      budget: { ...this.#budget, seconds: this.#time.seconds },
      problems: problems.sort(),
    };
  }
}

function withScore<T extends object>(view: T, score: number | undefined): T & { readonly score?: number } {
  return score === undefined ? view : { ...view, score };
}
