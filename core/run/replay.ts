import type { Env, MakeEnv, Settlement } from "../env.ts";
import { messageOf } from "../errors.ts";
import { canonicalJson, type Json } from "../json.ts";
import { deriveSeed } from "../rng.ts";
import { digestOf, type NodeRecord, type TreeRecord } from "./record.ts";

/** Where a record and what really happens part. */
export interface Difference {
  readonly task: string;
  readonly branch: string;
  /** Turn of the node, or of the leaf; 0 for the tree as a whole. */
  readonly turn: number;
  readonly field: string;
  readonly recorded: string;
  readonly replayed: string;
}

/** What may differ from one execution to the next without meaning anything: times, addresses. */
export interface NormalRule {
  /** For people, for example `seconds`. */
  readonly name: string;
  /** With the `g` flag. */
  readonly pattern: RegExp;
  readonly replacement: string;
}

/**
 * Re-executes every recorded action in fresh environments, forked where the record forks and with its seeds, and
 * compares every observation, reward, end and outcome, and last the record's digest. No policy and no scorer runs.
 * @param normal applied in order to every text of both sides before they are compared.
 */
export async function replay<Data, Obs, Act>(
  record: TreeRecord,
  make: MakeEnv<Data, Obs, Act>,
  normal: readonly NormalRule[] = [],
): Promise<Difference[]> {
  const walk = new Walk(record, make as unknown as MakeEnv<Json, Json, Json>, normal);
  await walk.run();
  return walk.differences;
}

type LeafRecord = TreeRecord["leaves"][number];

class Walk {
  readonly differences: Difference[] = [];
  readonly #record: TreeRecord;
  readonly #make: MakeEnv<Json, Json, Json>;
  readonly #normal: readonly NormalRule[];
  /** Indices of the nodes by the node before them. */
  readonly #next = new Map<number, number[]>();
  readonly #turns: number[] = [];

  constructor(record: TreeRecord, make: MakeEnv<Json, Json, Json>, normal: readonly NormalRule[]) {
    this.#record = record;
    this.#make = make;
    this.#normal = normal;
    record.nodes.forEach(({ parent }, at) => {
      this.#turns.push(parent === null ? 0 : this.#turns[parent]! + 1);
      if (parent !== null) this.#next.set(parent, [...(this.#next.get(parent) ?? []), at]);
    });
  }

  async run(): Promise<void> {
    const { task, seed, nodes } = this.#record;
    if (nodes.length > 0) {
      const env = await this.#make();
      try {
        const observation = await env.reset({ task, seed: deriveSeed(seed, task.id, "reset") });
        this.#compare(0, "observation", nodes[0]!.observation, observation);
        await this.#from(0, env);
      } catch (error) {
        this.#differ(0, "replay", "a tree", messageOf(error));
      } finally {
        await env.close();
      }
    }
    if (this.differences.length > 0 || digestOf(this.#record) === this.#record.digest) return;
    this.#differ(0, "digest", this.#record.digest, digestOf(this.#record));
  }

  /** Plays everything that starts at a node, given the Env that stands there. */
  async #from(at: number, env: Env<Json, Json, Json>): Promise<void> {
    const forked = this.#record.branches.filter(({ from, seed }) => from === at && seed !== null);
    const started = new Map(forked.map(({ path, seed }) => [path, seed!]));
    const leaves = this.#record.leaves.filter(({ node, reward }) => node === at && reward !== undefined);
    const next = this.#next.get(at) ?? [];
    const own = next.filter((index) => !started.has(this.#record.nodes[index]!.branch));
    const others = next.filter((index) => started.has(this.#record.nodes[index]!.branch));
    // Settling may change the Env (it runs tests): the one that goes on is settled last of all, others as forks.
    const cut = leaves.filter((leaf) => this.#isSettled(leaf));
    const last = own.length > 0 ? undefined : cut.find(({ branch }) => !started.has(branch));
    const apart = cut.filter((leaf) => leaf !== last);
    for (const leaf of leaves) if (!cut.includes(leaf)) this.#outcome(leaf, undefined);
    if (others.length + apart.length > 0) {
      const snapshot = await env.snapshot();
      const onFork = async (branch: string, use: (fork: Env<Json, Json, Json>) => Promise<void>) => {
        const seed = started.get(branch);
        const fork = await env.fork(snapshot, seed === undefined ? {} : { seed });
        try {
          await use(fork);
        } finally {
          await fork.close();
        }
      };
      try {
        for (const leaf of apart)
          await onFork(leaf.branch, async (fork) => this.#outcome(leaf, await fork.settle?.()));
        for (const index of others)
          await onFork(this.#record.nodes[index]!.branch, (fork) => this.#play(index, fork));
      } finally {
        await env.release(snapshot);
      }
    }
    for (const index of own) await this.#play(index, env);
    if (last !== undefined) this.#outcome(last, await env.settle?.());
  }

  async #play(at: number, env: Env<Json, Json, Json>): Promise<void> {
    const node: NodeRecord = this.#record.nodes[at]!;
    const step = await env.step(node.choice!.action).catch((error: unknown) => {
      this.#differ(at, "step", "an observation", messageOf(error));
    });
    if (step === undefined) return;
    this.#compare(at, "observation", node.observation, step.observation);
    this.#compare(at, "reward", node.reward, step.reward);
    this.#compare(at, "end", node.end ?? null, step.end ?? null);
    this.#compare(at, "info", node.info ?? null, step.info ?? null);
    await this.#from(at, env);
  }

  /** Whether the leaf's outcome came of `settle`: the episode went on, and it is not pruned to zero. */
  #isSettled({ node, end }: LeafRecord): boolean {
    const zero = end.startsWith("pruned") && prunedAsZero(this.#record.strategy.options);
    return this.#record.nodes[node]!.end === undefined && !zero;
  }

  #outcome(leaf: LeafRecord, settled: Settlement | undefined): void {
    const { node: at, reward, info } = leaf;
    const cut = this.#record.nodes[at]!.end === undefined;
    const zero = cut && !this.#isSettled(leaf);
    this.#compare(at, "outcome", reward!, zero ? 0 : this.#rewardTo(at) + (settled?.reward ?? 0));
    if (cut) this.#compare(at, "outcome info", info ?? null, settled?.info ?? null);
  }

  #rewardTo(at: number): number {
    let sum = 0;
    for (let index: number | null = at; index !== null; index = this.#record.nodes[index]!.parent) {
      sum += this.#record.nodes[index]!.reward;
    }
    return sum;
  }

  #compare(at: number, field: string, recorded: Json, replayed: unknown): void {
    const normal = (value: unknown) => canonicalJson(normalised(value as Json, this.#normal));
    const [before, now] = [normal(recorded), normal(replayed)];
    if (before !== now) this.#differ(at, field, before, now);
  }

  #differ(at: number, field: string, recorded: string, replayed: string): void {
    const branch = this.#record.nodes[at]?.branch ?? "";
    this.differences.push({
      task: this.#record.task.id,
      branch,
      turn: this.#turns[at] ?? 0,
      field,
      recorded,
      replayed,
    });
  }
}

function normalised(value: Json, rules: readonly NormalRule[]): Json {
  if (rules.length === 0) return value;
  if (typeof value === "string") {
    return rules.reduce((text, { pattern, replacement }) => text.replace(pattern, replacement), value);
  }
  if (Array.isArray(value)) return value.map((each) => normalised(each, rules));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, normalised(each as Json, rules)]),
  );
}

function prunedAsZero(options: Json): boolean {
  return (options as { readonly pruned?: unknown } | null)?.pruned === "zero";
}
