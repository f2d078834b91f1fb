import type { Json } from "./json.ts";
import type { Rng } from "./rng.ts";
import type { Node } from "./rollout/tree.ts";
import type { Task } from "./task.ts";

/** Tokens that one call of a model cost. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly generatedTokens: number;
  /** Prompt tokens that the server took from its cache. @default 0 */
  readonly cachedTokens?: number;
}

/** What a policy chose, and what the sampler knows about the choice. */
export interface Decision<Act> {
  readonly action: Act;
  /** Natural log of the probability of the action (or reply) at the sampling temperature. */
  readonly logprob?: number;
  /** Entropy of the choice in nats; ARPO branches on it. */
  readonly entropy?: number;
  readonly usage?: TokenUsage;
  /** Anything to record with the turn: the reply's text, token ids, log-probabilities. */
  readonly sample?: Json;
}

/** All that a policy may look at. */
export interface PolicyTurn<Data, Obs, Act> {
  readonly task: Task<Data>;
  /** Where the branch stands: `node.observation` is to be answered, the parents are the history. */
  readonly node: Node<Obs, Act>;
  /** The branch's path, for logs and for routing to a server that holds the prefix. */
  readonly branch: string;
  /** The branch's own stream; a policy draws from no other. */
  readonly rng: Rng;
  readonly signal: AbortSignal;
}

/** Who chooses the next action. Called for many branches at once; keep what belongs to a branch on its nodes. */
export interface Policy<Data, Obs, Act> {
  readonly name: string;
  act(turn: PolicyTurn<Data, Obs, Act>): Decision<Act> | Promise<Decision<Act>>;
}
