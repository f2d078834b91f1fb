import { InputError } from "../../core/errors.ts";
import type { Features } from "../../core/features.ts";
import type { Node } from "../../core/rollout/tree.ts";
import { clippedObjective, type ObjectiveOptions, type Sequence } from "../../core/training/objective.ts";
import type { Row } from "../../core/training/rows.ts";
import { entropyOf, type Lanes, type Network } from "./network.ts";

export interface BatchOptions extends Omit<ObjectiveOptions, "klCoef"> {
  /**
   * The loss gains -entropyBonus * (mean entropy over the batch's distinct turns with a weight above 0).
   * @default 0
   */
  readonly entropyBonus?: number;
}

export interface BatchStats {
  /** Of the clipped objective, without the entropy bonus. */
  readonly loss: number;
  readonly clipFraction: number;
  /** Distinct turns that can have a gradient; only these are computed. */
  readonly turns: number;
  /** Sum of their entropies, in nats. */
  readonly entropySum: number;
  /** Whether any turn has a gradient. */
  readonly moved: boolean;
}

/** Adds the gradient of the loss over `rows` to `gradient`. */
export type BatchGradient<Obs, Act> = (
  rows: readonly Row<Obs, Act>[],
  options: BatchOptions,
  gradient: Float64Array,
) => BatchStats;

/** A distinct turn of a batch. */
interface Turn<Obs, Act> {
  readonly node: Node<Obs, Act>;
  readonly lane: number;
  readonly action: number;
  /** d loss / d logprob, summed over the rows that the turn is in. */
  slope: number;
}

/**
 * Gradients over rows that share turns. Each turn is computed once, however many rows it is in: forward, then
 * the sum of what its rows ask of it, then backward. A turn whose rows all have advantage 0 is not computed at
 * all, since its gradient is 0 whatever its probability. Both give the gradient of the plain sum over rows.
 * @throws {InputError} (the returned function) on a turn without `choice.logprob` or with an unknown action.
 */
export function createBatchGradient<Obs, Act>(
  network: Network,
  features: Features<Obs, Act>,
  indexOf: (action: Act) => number,
): BatchGradient<Obs, Act> {
  const { count, actions } = network.shape;
  const scratch = new Int32Array(count);
  let lanes: Lanes = network.lanes(64);

  const compute = (lane: number, node: Node<Obs, Act>): void => {
    scratch.fill(-1);
    features.write(parentOf(node), scratch);
    lanes.features.set(scratch, lane * count);
    network.forward(lanes, lane);
  };

  return (rows, options, gradient) => {
    const { entropyBonus = 0, ...objectiveOptions } = options;
    const turns = distinctTurns(rows, indexOf, entropyBonus !== 0);
    if (turns.size > lanes.lanes) lanes = network.lanes(2 ** Math.ceil(Math.log2(turns.size)));
    let entropySum = 0;
    for (const { node, lane } of turns.values()) {
      compute(lane, node);
      entropySum += entropyOf(lanes, lane, actions);
    }

    const sequences = rows.map((row) => sequenceOf(row, turns, lanes, actions));
    const { loss, clipFraction, gradients } = clippedObjective(sequences, objectiveOptions);
    rows.forEach(({ nodes }, index) => {
      nodes.forEach((node, t) => {
        const turn = turns.get(node);
        if (turn !== undefined) turn.slope += gradients[index]![t]!;
      });
    });

    const entropySlope = turns.size === 0 ? 0 : -entropyBonus / turns.size;
    let moved = false;
    for (const { lane, action, slope } of turns.values()) {
      if (slope === 0 && entropySlope === 0) continue;
      network.backward(lanes, lane, action, slope, entropySlope, gradient);
      moved = true;
    }
    return { loss, clipFraction, turns: turns.size, entropySum, moved };
  };
}

function distinctTurns<Obs, Act>(
  rows: readonly Row<Obs, Act>[],
  indexOf: (action: Act) => number,
  all: boolean,
): Map<Node<Obs, Act>, Turn<Obs, Act>> {
  const turns = new Map<Node<Obs, Act>, Turn<Obs, Act>>();
  for (const { nodes, weights, advantage } of rows) {
    if (advantage === 0 && !all) continue;
    nodes.forEach((node, t) => {
      if (weights[t] === 0 || turns.has(node)) return;
      const { action } = choiceOf(node);
      turns.set(node, { node, lane: turns.size, action: indexOf(action), slope: 0 });
    });
  }
  return turns;
}

/** A turn that is not computed stands at ratio 1. Its row has advantage 0 or masks it, so this changes nothing. */
function sequenceOf<Obs, Act>(
  { group, nodes, advantage, weights }: Row<Obs, Act>,
  turns: ReadonlyMap<Node<Obs, Act>, Turn<Obs, Act>>,
  lanes: Lanes,
  actions: number,
): Sequence {
  const logprobs = new Float64Array(nodes.length);
  const oldLogprobs = new Float64Array(nodes.length);
  nodes.forEach((node, t) => {
    if (weights[t] === 0) return;
    const { logprob } = choiceOf(node);
    if (logprob === undefined) {
      throw new InputError(
        `learner: turn ${node.turn} of branch ${node.branch} has no \`choice.logprob\`; train on what a policy that reports it sampled`,
      );
    }
    oldLogprobs[t] = logprob;
    const turn = turns.get(node);
    logprobs[t] = turn === undefined ? logprob : lanes.logprobs[turn.lane * actions + turn.action]!;
  });
  return { logprobs, oldLogprobs, advantage, weights, group };
}

/** The node that a turn's choice answered. */
function parentOf<Obs, Act>(node: Node<Obs, Act>): Node<Obs, Act> {
  if (node.parent === undefined) throw rootError(node);
  return node.parent;
}

function choiceOf<Obs, Act>(node: Node<Obs, Act>): NonNullable<Node<Obs, Act>["choice"]> {
  if (node.choice === undefined) throw rootError(node);
  return node.choice;
}

function rootError(node: Node<unknown, unknown>): InputError {
  return new InputError(
    `learner: turn ${node.turn} of branch ${node.branch} has no choice; a row must not hold the root`,
  );
}
