import type { Clock } from "../clock.ts";
import type { Settlement } from "../env.ts";
import { ForkGymError, messageOf } from "../errors.ts";
import { forEachPooled } from "../pool.ts";
import { createRng, deriveSeed, type Rng } from "../rng.ts";
import type { ScoreReport } from "../scorer.ts";
import type { Task } from "../task.ts";
import { type Branch, Handle } from "./branch.ts";
import { addScorerUsage, addUsage, type Budget, emptyBudget } from "./budget.ts";
import type { RolloutOptions } from "./engine.ts";
import { following, type Limits, within } from "./limits.ts";
import { forkSpan, scoreSpan, turnSpan } from "./spans.ts";
import type { BranchView, Route } from "./strategy.ts";
import {
  type BranchRecord,
  type Checkpoint,
  type Leaf,
  type LeafEnd,
  type Node,
  type Routing,
  rewardTo,
  sameAction,
  type Tree,
} from "./tree.ts";

type GrowthOptions<Data, Obs, Act> = RolloutOptions<Data, Obs, Act> & {
  readonly limits: Limits;
  readonly concurrency: number;
  readonly clock: Clock;
};

type Outcome = Pick<Leaf<unknown, unknown>, "reward" | "info" | "error">;
type CutEnd = Exclude<LeafEnd, "error" | "aborted">;
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Stands for "no signal was given", which spares the hot path a listener a turn. */
const NEVER = following(undefined).signal;

/** One tree while it grows. Used once. */
export class Growth<Data, Obs, Act> {
  readonly #task: Task<Data>;
  readonly #options: GrowthOptions<Data, Obs, Act>;
  readonly #signal: AbortSignal;
  readonly #started: number;
  readonly #rng: Rng;
  readonly #budget: Budget = emptyBudget();
  readonly #handles = new Set<Handle<Data, Obs, Act>>();
  /** In the order in which they were begun, which depends on the seed alone. */
  readonly #branches: { record: BranchRecord<Obs, Act>; nodes: Node<Obs, Act>[]; leaf?: Leaf<Obs, Act> }[] =
    [];
  readonly #slots = new Map<string, number>();
  readonly #checkpoints: Checkpoint[] = [];
  readonly #problems: string[] = [];
  /** How often a scorer reported each. */
  readonly #scoreFaults = new Map<string, number>();
  #active: Branch<Data, Obs, Act>[] = [];
  #root: Node<Obs, Act> | undefined;
  #leaves = 0;
  #roots = 0;

  constructor(task: Task<Data>, options: GrowthOptions<Data, Obs, Act>) {
    this.#task = task;
    this.#options = options;
    this.#signal = options.signal ?? NEVER;
    this.#started = options.clock.now();
    this.#rng = createRng(deriveSeed(options.seed, task.id, "strategy"));
  }

  async run(): Promise<Tree<Data, Obs, Act>> {
    try {
      await this.#grow();
    } catch (error) {
      if (this.#root === undefined) this.#problem("reset", error);
      for (const branch of this.#active) if (branch.active) this.#fail(branch, error);
    } finally {
      await this.#closeAll();
    }
    return this.#tree();
  }

  async #grow(): Promise<void> {
    const { strategy, seed, env: make } = this.#options;
    const origin = this.#open(new Handle(Promise.resolve().then(make)));
    this.#budget.resets++;
    const observation = await this.#guard(async () =>
      (await origin.env).reset({ task: this.#task, seed: deriveSeed(seed, this.#task.id, "reset") }),
    );
    this.#root = { branch: "", turn: 0, observation, reward: 0, repeats: 0 };
    const roots = strategy.topUp === undefined ? this.#rootsOf(origin) : this.#rootsKeeping(origin);
    this.#active = roots(strategy.roots);
    while (this.#active.length > 0) {
      this.#shareTurns();
      await forEachPooled(this.#active, this.#options.concurrency, (branch) => this.#advance(branch));
      this.#active = this.#active.filter((branch) => branch.active);
      if (this.#active.length > 0) await this.#checkpoint();
      else this.#active = roots(strategy.topUp?.(this.#leaves) ?? 0);
    }
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
    return forks.map((fork, index) => this.#begin(paths[index]!, this.#open(fork), from, seeds[index]!));
  }

  #begin(path: string, handle: Handle<Data, Obs, Act>, from: Node<Obs, Act>, seed: number | null) {
    this.#slots.set(path, this.#branches.length);
    this.#branches.push({ record: { path, from, seed }, nodes: [] });
    const rng = createRng(deriveSeed(this.#options.seed, this.#task.id, path, "policy"));
    const branch: Branch<Data, Obs, Act> = { path, handle, rng, node: from, children: 0, active: true };
    return branch;
  }

  /** Gives each active branch its part of the turns that the tree has left. */
  #shareTurns(): void {
    const { treeTurns } = this.#options.limits;
    if (treeTurns === undefined) return;
    const left = Math.max(0, treeTurns - this.#budget.turns);
    const each = Math.floor(left / this.#active.length);
    const over = left % this.#active.length;
    this.#active.forEach((branch, index) => {
      branch.share = each + (index < over ? 1 : 0);
    });
  }

  /** Takes turns until the branch ends or stands at a checkpoint. */
  async #advance(branch: Branch<Data, Obs, Act>): Promise<void> {
    const { strategy, limits, clock, tracer } = this.#options;
    const slot = this.#branches[this.#slots.get(branch.path)!]!;
    try {
      for (;;) {
        if (this.#signal.aborted) return this.#finish(branch, "aborted");
        if (branch.share !== undefined && branch.share-- === 0) return await this.#cut(branch, "turn-limit");
        if (limits.treeMs !== undefined && clock.now() - this.#started >= limits.treeMs) {
          return await this.#cut(branch, "time-limit");
        }
        const node = await (tracer === undefined
          ? this.#guardedTurn(branch)
          : turnSpan(tracer, branch, () => this.#guardedTurn(branch)));
        branch.node = node;
        slot.nodes.push(node);
        if (node.end !== undefined) return this.#finish(branch, node.end, { reward: rewardTo(node) });
        if (node.turn === limits.turns) return await this.#cut(branch, "turn-limit");
        if (strategy.stuck?.({ path: branch.path, node })) return await this.#prune(branch, "pruned-repeat");
        if (strategy.every !== undefined && node.turn % strategy.every === 0) return;
      }
    } catch (error) {
      if (this.#signal.aborted) this.#finish(branch, "aborted");
      else this.#fail(branch, error);
    }
  }

  #guardedTurn(branch: Branch<Data, Obs, Act>): Promise<Node<Obs, Act>> {
    const { turnMs } = this.#options.limits;
    if (turnMs === undefined && this.#signal === NEVER) return this.#turn(branch, NEVER);
    return within((signal) => this.#turn(branch, signal), turnMs, this.#signal);
  }

  async #turn(branch: Branch<Data, Obs, Act>, signal: AbortSignal): Promise<Node<Obs, Act>> {
    const { path, rng, node: parent } = branch;
    const choice = await this.#options.policy.act({
      task: this.#task,
      node: parent,
      branch: path,
      rng,
      signal,
    });
    this.#budget.turns++;
    addUsage(this.#budget, choice.usage);
    const env = await branch.handle.ready();
    this.#budget.envSteps++;
    const { observation, reward, end, info } = await env.step(choice.action);
    if (!Number.isFinite(reward)) throw new ForkGymError(`env: expected a finite reward, got ${reward}`);
    const again = parent.choice !== undefined && sameAction(parent.choice.action, choice.action);
    const repeats = again ? parent.repeats + 1 : 1;
    const turn = parent.turn + 1;
    const node: Mutable<Node<Obs, Act>> = {
      parent,
      branch: path,
      turn,
      observation,
      choice,
      reward,
      repeats,
    };
    if (end !== undefined) node.end = end;
    if (info !== undefined) node.info = info;
    return node;
  }

  /** Scores and routes the active branches, all of which stand at the same turn. */
  async #checkpoint(): Promise<void> {
    const { strategy, concurrency } = this.#options;
    if (strategy.route === undefined) return;
    const active = this.#active;
    const scores = new Map<string, number>();
    if (strategy.scored) {
      await forEachPooled(active, concurrency, async (branch) => {
        const score = await this.#score(branch);
        if (score !== undefined) scores.set(branch.path, score);
      });
    }
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
      this.#prune(branch, "pruned-score").catch((error) => this.#fail(branch, error)),
    );
    this.#active = active.flatMap((branch, index) => {
      const route = routes[index]!;
      if (route.kind === "prune") return [];
      return route.kind === "expand" ? this.#expand(branch, route) : [branch];
    });
  }

  #routes(active: readonly BranchView[], turn: number): readonly Route[] {
    const { strategy } = this.#options;
    const routes = strategy.route!({ turn, active, leaves: this.#leaves }, this.#rng);
    if (routes.length === active.length) return routes;
    throw new ForkGymError(
      `rollout: strategy ${strategy.name} gave ${routes.length} routes for ${active.length} active branches`,
    );
  }

  async #score(branch: Branch<Data, Obs, Act>): Promise<number | undefined> {
    if (this.#signal.aborted) return undefined;
    const { tracer } = this.#options;
    const scorer = this.#options.scorer!;
    this.#budget.scorerCalls++;
    // What comes once the score is given up no longer belongs to the tree.
    let waiting = true;
    const report = (each: ScoreReport) => {
      if (waiting) this.#reported(each);
    };
    try {
      const { node } = branch;
      const ask = () =>
        this.#guard(async (signal) => scorer.score({ task: this.#task, node, signal, report }));
      const score = await (tracer === undefined ? ask() : scoreSpan(tracer, branch, scorer, ask));
      if (score === undefined || (score >= 0 && score <= 1)) return score;
      throw new ForkGymError(`expected a score from 0 to 1, got ${score}`);
    } catch (error) {
      this.#problem(`scorer ${scorer.name}, branch ${branch.path}, turn ${branch.node.turn}`, error);
      return undefined;
    } finally {
      waiting = false;
    }
  }

  #reported({ usage, fault }: ScoreReport): void {
    if (usage !== undefined) addScorerUsage(this.#budget, usage);
    if (fault !== undefined) this.#scoreFaults.set(fault, (this.#scoreFaults.get(fault) ?? 0) + 1);
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
    const env = await branch.handle.ready();
    const { reward, info }: Settlement =
      env.settle === undefined ? { reward: 0 } : await this.#guard(() => env.settle!());
    if (!Number.isFinite(reward))
      throw new ForkGymError(`env: expected a finite reward from settle, got ${reward}`);
    this.#finish(branch, end, {
      reward: rewardTo(branch.node) + reward,
      ...(info !== undefined && { info }),
    });
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
    this.#close(branch.handle);
  }

  #guard<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#signal === NEVER ? work(NEVER) : within(work, undefined, this.#signal);
  }

  #open(handle: Handle<Data, Obs, Act>): Handle<Data, Obs, Act> {
    this.#handles.add(handle);
    return handle;
  }

  #close(handle: Handle<Data, Obs, Act>): void {
    handle.close().then(
      () => this.#handles.delete(handle),
      () => {},
    );
  }

  async #closeAll(): Promise<void> {
    for (const handle of this.#handles) await handle.close().catch((error) => this.#problem("close", error));
  }

  #problem(where: string, error: unknown): void {
    this.#problems.push(`${where}: ${messageOf(error)}`);
  }

  #tree(): Tree<Data, Obs, Act> {
    const { strategy, scorer, policy, seed, clock } = this.#options;
    for (const [fault, count] of this.#scoreFaults)
      this.#problems.push(`scorer ${scorer!.name}: ${fault} (${count})`);
    if (this.#signal.aborted && this.#problems.length === 0) this.#problems.push("aborted");
    this.#budget.seconds = (clock.now() - this.#started) / 1000;
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
      budget: this.#budget,
      problems: this.#problems.sort(),
    };
  }
}

function withScore<T extends object>(view: T, score: number | undefined): T & { readonly score?: number } {
  return score === undefined ? view : { ...view, score };
}
