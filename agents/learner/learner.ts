import { onlyKnown, wholeFrom } from "../../core/check.ts";
import { InputError } from "../../core/errors.ts";
import type { Features } from "../../core/features.ts";
import type { Decision, Policy, PolicyTurn } from "../../core/policy.ts";
import { createRng } from "../../core/rng.ts";
import type { Node } from "../../core/rollout/tree.ts";
import { grpo } from "../../core/training/advantage.ts";
import { type Group, isRemnant } from "../../core/training/group.ts";
import { type PrefixWeight, rowsByLeaf } from "../../core/training/rows.ts";
import { actionIndex } from "./actions.ts";
import { type AdamOptions, type AdamState, createAdam } from "./adam.ts";
import { type BatchOptions, createBatchGradient } from "./batch.ts";
import { createNetwork, entropyOf } from "./network.ts";

export interface LearnerOptions<Obs, Act> extends AdamOptions {
  /** @default "learner" */
  readonly name?: string;
  readonly features: Features<Obs, Act>;
  /** The two or more actions it chooses from, distinct as JSON. */
  readonly actions: readonly Act[];
  /** Hidden units, a multiple of 4. @default 32 */
  readonly hidden?: number;
  /** Of the first parameters. */
  readonly seed: number | string;
}

export interface UpdateOptions extends BatchOptions {
  /** From a group's rewards to one advantage each. @default grpo */
  readonly advantage?: (rewards: readonly number[]) => readonly number[];
  /** How much a turn counts that several leaves share. @default "every-leaf" */
  readonly prefix?: PrefixWeight;
  /** Passes over the groups. @default 1 */
  readonly epochs?: number;
  /**
   * Adam steps a pass. The groups are cut, in the order given and never inside a group, into this many parts
   * of about the same number of groups. @default 1
   */
  readonly minibatches?: number;
}

/** What an update did; sums and means are over its steps. */
export interface UpdateStats {
  /** Mean loss, without the entropy bonus. */
  readonly loss: number;
  /** Mean entropy in nats over the turns that were trained; 0 if there were none. */
  readonly entropy: number;
  /** Mean 2-norm of the gradient, before it was scaled down; 0 if there was no step. */
  readonly gradNorm: number;
  readonly clipFraction: number;
  readonly rows: number;
  /** Distinct turns that were trained, those in rows of advantage 0 not counted. */
  readonly turns: number;
  /** Adam steps. A minibatch without any gradient takes none. */
  readonly steps: number;
  /** Groups that failures cut to one leaf, which were not trained on. */
  readonly leftOut: number;
}

/** All that a learner has learned, as plain JSON. */
export type LearnerState = {
  readonly version: 1;
  readonly size: number;
  readonly hidden: number;
  readonly actions: number;
  readonly parameters: readonly number[];
  readonly adam: AdamState;
};

export interface Learner<Data, Obs, Act> extends Policy<Data, Obs, Act> {
  /** Samples at temperature 1. */
  act(turn: PolicyTurn<Data, Obs, Act>): Decision<Act>;
  /**
   * The same network, learning along, at another temperature from 0 up; 0 is greedy: the likeliest action, the
   * earlier one of equals, with log-probability 0. The log-probabilities are those at that temperature, while
   * `update` trains the policy at temperature 1: to stay on-policy, train on what `act` sampled.
   */
  at(options: { readonly temperature: number }): Policy<Data, Obs, Act>;
  /** The log-probability of each action, in the order of `actions`, in nats, at temperature 1. */
  logprobs(node: Node<Obs, Act>): number[];
  /**
   * Trains on groups, advantages taken within each. One that failures cut to a single leaf (it is not `complete`) is
   * left out, and counted.
   * @throws {InputError} on a turn without a log-probability, an unknown action, an unknown option or one out of
   * bounds.
   */
  update(groups: readonly Group<Data, Obs, Act>[], options?: UpdateOptions): UpdateStats;
  save(): LearnerState;
  /** @throws {InputError} on the state of a learner of another shape; nothing has changed then. */
  load(state: LearnerState): void;
}

/**
 * A small softmax network that learns in this process: the stand-in for a language model where a study needs
 * thousands of updates on a laptop. It has a handful of actions and hand-made features, knows nothing in
 * advance and does not read text, so it shows how rollout groups and objectives compare, not how a language
 * model would fare. Deterministic: the same seed, groups and options give the same parameters.
 */
export function createLearner<Data, Obs, Act>(options: LearnerOptions<Obs, Act>): Learner<Data, Obs, Act> {
  const { name = "learner", features, actions, hidden = 32, seed } = options;
  const { size, count } = features;
  const indexOf = actionIndex(actions);
  const network = createNetwork({ size, count, hidden, actions: actions.length }, createRng(seed));
  const { parameters } = network;
  const adam = createAdam(parameters.length, options);
  const gradientOf = createBatchGradient(network, features, indexOf);
  const gradient = new Float64Array(parameters.length);
  const lane = network.lanes(1);

  const look = (node: Node<Obs, Act>, temperature: number): void => {
    lane.features.fill(-1);
    features.write(node, lane.features);
    network.forward(lane, 0, temperature);
  };
  const decide = (turn: PolicyTurn<Data, Obs, Act>, temperature: number): Decision<Act> => {
    look(turn.node, temperature === 0 ? 1 : temperature);
    if (temperature === 0) return { action: actions[likeliest(lane.logprobs)]!, logprob: 0, entropy: 0 };
    const index = sample(lane.logprobs, turn.rng.next());
    return {
      action: actions[index]!,
      logprob: lane.logprobs[index]!,
      entropy: entropyOf(lane, 0, actions.length),
    };
  };

  return {
    name,
    act: (turn) => decide(turn, 1),
    at({ temperature }) {
      if (!(temperature >= 0 && Number.isFinite(temperature))) {
        throw new InputError(
          `learner: expected \`temperature\` to be a number from 0 up, got ${temperature}`,
        );
      }
      return { name: `${name}@${temperature}`, act: (turn) => decide(turn, temperature) };
    },

    logprobs(node) {
      look(node, 1);
      return Array.from(lane.logprobs.subarray(0, actions.length));
    },

    update(given, updateOptions = {}) {
      const {
        advantage = (rewards: readonly number[]) => grpo(rewards),
        prefix = "every-leaf",
        epochs = 1,
        minibatches = 1,
        ...batchOptions
      } = updateOptions;
      const { aggregation, clipLow, clipHigh, dualClip, scaleFactor, entropyBonus } = batchOptions;
      onlyKnown("learner.update", updateOptions, {
        ...{ advantage, prefix, epochs, minibatches, entropyBonus },
        ...{ aggregation, clipLow, clipHigh, dualClip, scaleFactor },
      });
      wholeFrom(1, "learner", "epochs", epochs);
      wholeFrom(1, "learner", "minibatches", minibatches);
      const groups = given.filter((group) => !isRemnant(group));
      const rowsOf = groups.map((group) => rowsByLeaf(group, advantage(group.rewards), { prefix }));
      const sum = { loss: 0, entropy: 0, gradNorm: 0, clipFraction: 0, rows: 0, turns: 0, steps: 0 };
      let batches = 0;
      for (let epoch = 0; epoch < epochs; epoch++) {
        for (let part = 0; part < minibatches; part++) {
          const from = Math.floor((part * groups.length) / minibatches);
          const to = Math.floor(((part + 1) * groups.length) / minibatches);
          const rows = rowsOf.slice(from, to).flat();
          if (rows.length === 0) continue;
          gradient.fill(0);
          const stats = gradientOf(rows, batchOptions, gradient);
          if (stats.moved) {
            sum.gradNorm += adam.step(parameters, gradient);
            sum.steps++;
          }
          batches++;
          sum.loss += stats.loss;
          sum.clipFraction += stats.clipFraction;
          sum.entropy += stats.entropySum;
          sum.turns += stats.turns;
          sum.rows += rows.length;
        }
      }
      return {
        ...sum,
        loss: sum.loss / Math.max(1, batches),
        clipFraction: sum.clipFraction / Math.max(1, batches),
        entropy: sum.entropy / Math.max(1, sum.turns),
        gradNorm: sum.gradNorm / Math.max(1, sum.steps),
        leftOut: given.length - groups.length,
      };
    },

    save: () => ({
      version: 1,
      size,
      hidden,
      actions: actions.length,
      parameters: Array.from(parameters),
      adam: adam.save(),
    }),
    load(state) {
      const shape = { version: 1, size, hidden, actions: actions.length };
      for (const key of ["version", "size", "hidden", "actions"] as const) {
        if (state[key] !== shape[key]) {
          throw new InputError(`learner: expected a state with \`${key}\` ${shape[key]}, got ${state[key]}`);
        }
      }
      const given: unknown = state.parameters;
      if (!Array.isArray(given) || given.length !== parameters.length || !given.every(Number.isFinite)) {
        throw new InputError(`learner: expected \`parameters\` of ${parameters.length} finite numbers`);
      }
      adam.load(state.adam);
      parameters.set(state.parameters);
    },
  };
}

function sample(logprobs: Float64Array, u: number): number {
  let below = 0;
  for (let index = 0; index < logprobs.length - 1; index++) {
    below += Math.exp(logprobs[index]!);
    if (u < below) return index;
  }
  return logprobs.length - 1;
}

function likeliest(logprobs: Float64Array): number {
  let best = 0;
  for (let index = 1; index < logprobs.length; index++) if (logprobs[index]! > logprobs[best]!) best = index;
  return best;
}
