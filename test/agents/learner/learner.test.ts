import { describe, expect, it } from "vitest";
import { createLearner, type Learner, type LearnerOptions } from "../../../agents/learner/learner.ts";
import { InputError } from "../../../core/errors.ts";
import type { Policy, PolicyTurn } from "../../../core/policy.ts";
import { createRng, type Rng } from "../../../core/rng.ts";
import { drGrpo } from "../../../core/training/advantage.ts";
import { type Group, groupOf } from "../../../core/training/group.ts";
import { type Segment, type TinyNode, tinyTree } from "../../training/tiny-tree.ts";
import { tinyActions, tinyFeatures } from "./tiny-features.ts";

type TinyLearner = Learner<null, number, number>;
type TinyGroup = Group<null, number, number>;

function learner(options: Partial<LearnerOptions<number, number>> = {}): TinyLearner {
  return createLearner({ features: tinyFeatures, actions: tinyActions, hidden: 8, seed: 1, ...options });
}

function turnAt(observation: number, rng: Rng): PolicyTurn<null, number, number> {
  const node: TinyNode = { branch: "0", turn: 0, observation, reward: 0, repeats: 0 };
  return { task: { id: "tiny", data: null }, node, branch: "0", rng, signal: new AbortController().signal };
}

/** A group of eight one-turn episodes of a bandit whose lucky arm is `lucky[observation]`. */
function bandit(policy: TinyLearner, observation: number, lucky: readonly number[], rng: Rng): TinyGroup {
  const segments = Array.from({ length: 8 }, (): Segment => {
    const { action, logprob } = policy.act(turnAt(observation, rng));
    return { turns: [[action, logprob!]], reward: action === lucky[observation] ? 1 : 0 };
  });
  return groupOf(tinyTree(segments, { observe: () => observation }));
}

/** How often the policy takes each action at an observation. */
function frequencies(policy: Policy<null, number, number>, observation: number, draws = 4000): number[] {
  const counts = [0, 0, 0];
  const rng = createRng("frequencies");
  for (let i = 0; i < draws; i++) counts[(policy as TinyLearner).act(turnAt(observation, rng)).action]!++;
  return counts.map((count) => count / draws);
}

const mixed = (): TinyGroup =>
  groupOf(
    tinyTree([
      {
        turns: [0, 1],
        next: [
          { turns: [2], reward: 1 },
          { turns: [0, 2], reward: 0 },
        ],
      },
      { turns: [2], reward: 0 },
    ]),
  );
const uniform = (): TinyGroup =>
  groupOf(
    tinyTree([
      { turns: [0], reward: 1 },
      { turns: [1], reward: 1 },
    ]),
  );

describe("act", () => {
  it("samples from its own distribution and reports log-probability and entropy at once", () => {
    const policy = learner();
    for (let i = 0; i < 30; i++) policy.update([bandit(policy, 0, [1], createRng(i))], {});
    const share = frequencies(policy, 0);
    const entropies = new Set<number>();
    const rng = createRng(5);
    const logprobs = new Map<number, number>();
    for (let i = 0; i < 200; i++) {
      const { action, logprob, entropy } = policy.act(turnAt(0, rng));
      logprobs.set(action, logprob!);
      entropies.add(entropy!);
    }
    expect(entropies.size).toBe(1);
    let entropy = 0;
    for (const [action, logprob] of logprobs) {
      expect(Math.abs(share[action]! - Math.exp(logprob))).toBeLessThan(0.03);
      entropy -= logprob * Math.exp(logprob);
    }
    expect(logprobs.size).toBe(3);
    expect([...entropies][0]).toBeCloseTo(entropy, 10);
  });

  it("draws from the branch's stream, one number a turn", () => {
    const draw = () => {
      const rng = createRng(3);
      return Array.from({ length: 20 }, () => learner().act(turnAt(1, rng)).action);
    };
    expect(draw()).toEqual(draw());
    const [rng, other] = [createRng(3), createRng(3)];
    learner().act(turnAt(1, rng));
    other.next();
    expect(rng.state()).toEqual(other.state());
  });
});

describe("at", () => {
  it("sharpens, flattens, and at 0 is greedy with log-probability 0", () => {
    const policy = learner({ learningRate: 0.05 });
    for (let i = 0; i < 5; i++) policy.update([bandit(policy, 0, [1], createRng(i))]);
    const [flat, plain, sharp] = [5, 1, 0.3].map(
      (temperature) => frequencies(policy.at({ temperature }), 0)[1]!,
    );
    expect(flat).toBeLessThan(plain! - 0.05);
    expect(plain).toBeLessThan(sharp! - 0.05);
    const greedy = policy.at({ temperature: 0 });
    expect(frequencies(greedy, 0, 50)).toEqual([0, 1, 0]);
    expect(greedy.act(turnAt(0, createRng(1)))).toEqual({ action: 1, logprob: 0, entropy: 0 });
    expect(greedy.name).toBe("learner@0");
  });

  it("names a bad temperature", () => {
    expect(() => learner().at({ temperature: -1 })).toThrow(InputError);
    expect(() => learner().at({ temperature: Number.NaN })).toThrow(/`temperature`.* NaN/);
  });
});

describe("update", () => {
  it("learns which arm to pull at each observation from independent groups", () => {
    const policy = createLearner<null, number, number>({
      features: { size: 2, count: 1, write: (node, out) => void out.fill(node.observation) },
      actions: [0, 1],
      seed: 7,
    });
    const rng = createRng("bandit");
    const lucky = [1, 0];
    for (let i = 0; i < 300; i++)
      policy.update([bandit(policy, 0, lucky, rng), bandit(policy, 1, lucky, rng)]);
    expect(frequencies(policy, 0)[1]).toBeGreaterThan(0.95);
    expect(frequencies(policy, 1)[0]).toBeGreaterThan(0.95);
  });

  it("raises the probability of what was rewarded and lowers that of what was not", () => {
    const policy = learner({ learningRate: 1e-3 });
    const before = frequencies(policy, 0)[1]!;
    const group = groupOf(
      tinyTree([
        { turns: [1], reward: 1 },
        { turns: [0], reward: 0 },
      ]),
    );
    for (let i = 0; i < 50; i++) policy.update([group]);
    expect(frequencies(policy, 0)[1]).toBeGreaterThan(before + 0.1);
  });

  it("reports what it did", () => {
    const stats = learner().update([mixed(), uniform()]);
    expect(stats).toMatchObject({ rows: 5, turns: 6, steps: 1 });
    expect(stats.entropy).toBeCloseTo(Math.log(3), 2);
    expect(stats.gradNorm).toBeGreaterThan(0);
    expect(Number.isFinite(stats.loss)).toBe(true);
    expect(JSON.parse(JSON.stringify(stats))).toEqual(stats);
  });

  it("takes no step where no group says anything, and none for nothing", () => {
    const policy = learner();
    policy.update([mixed()]);
    const before = policy.save();
    expect(policy.update([uniform()])).toMatchObject({
      steps: 0,
      turns: 0,
      rows: 2,
      gradNorm: 0,
      entropy: 0,
    });
    expect(policy.update([])).toMatchObject({ steps: 0, rows: 0, loss: 0 });
    expect(policy.save()).toEqual(before);
  });

  it("keeps entropy up with an entropy bonus", () => {
    const train = (entropyBonus: number) => {
      const policy = learner({ learningRate: 0.02 });
      const rng = createRng("bonus");
      for (let i = 0; i < 100; i++) policy.update([bandit(policy, 0, [1], rng)], { entropyBonus });
      return policy.act(turnAt(0, rng)).entropy!;
    };
    expect(train(1)).toBeGreaterThan(train(0) + 0.2);
  });

  it("takes a step per minibatch and epoch, and never cuts a group", () => {
    const groups = [mixed(), mixed(), mixed()];
    expect(learner().update(groups, { epochs: 2, minibatches: 3 })).toMatchObject({ steps: 6, rows: 18 });
    expect(learner().update(groups, { minibatches: 2 })).toMatchObject({ steps: 2, rows: 9 });
    expect(learner().update(groups, { minibatches: 9 })).toMatchObject({ steps: 3, rows: 9 });
    const [one, many] = [learner(), learner()];
    for (const group of groups) one.update([group]);
    many.update(groups, { minibatches: 3 });
    expect(many.save()).toEqual(one.save());
  });

  it("clips once several epochs have moved the policy", () => {
    const policy = learner({ learningRate: 0.1 });
    const group = bandit(policy, 0, [1], createRng(2));
    expect(policy.update([group]).clipFraction).toBe(0);
    expect(policy.update([group], { epochs: 10 }).clipFraction).toBeGreaterThan(0);
  });

  it("leaves out a group that failures cut to one leaf, and counts it", () => {
    const remnant = groupOf(
      tinyTree([
        { turns: [0], reward: 1 },
        { turns: [1], end: "error" },
      ]),
    );
    const [one, both] = [learner(), learner()];
    const fresh = one.save();
    expect(one.update([remnant])).toMatchObject({ rows: 0, steps: 0, leftOut: 1 });
    expect(one.save()).toEqual(fresh);
    const { leftOut, ...stats } = one.update([mixed()]);
    expect(both.update([mixed(), remnant], { minibatches: 1 })).toEqual({ ...stats, leftOut: 1 });
    expect(leftOut).toBe(0);
    expect(both.save()).toEqual(one.save());
  });

  it("trains a group that was meant to have one leaf", () => {
    const alone = groupOf(tinyTree([{ turns: [0], reward: 1 }]));
    expect(learner().update([alone])).toMatchObject({ rows: 1, steps: 1, leftOut: 0 });
  });

  it("averages over groups when told to: a tree then weighs the same whatever its leaves", () => {
    const wide = () =>
      groupOf(tinyTree(Array.from({ length: 10 }, (_, n) => ({ turns: [n % 3], reward: n % 2 }))));
    const norm = (groups: TinyGroup[], aggregation: "group-mean-token-mean" | "seq-mean-token-mean") =>
      learner().update(groups, { aggregation }).gradNorm;
    const alone = norm([wide()], "group-mean-token-mean");
    expect(alone).toBe(norm([wide()], "seq-mean-token-mean"));
    // A uniform group has no gradient: it halves the mean over two groups, and takes 2 of 12 leaves from that over leaves.
    expect(norm([wide(), uniform()], "group-mean-token-mean")).toBeCloseTo(alone / 2, 12);
    expect(norm([wide(), uniform()], "seq-mean-token-mean")).toBeCloseTo((alone * 10) / 12, 12);
  });

  it("takes another advantage and another prefix weight", () => {
    const states = [{}, { advantage: drGrpo }, { prefix: "1/leaves" }, { prefix: "once" }].map((options) => {
      const policy = learner({ epsilon: 1 });
      policy.update([mixed()], options as Parameters<TinyLearner["update"]>[1]);
      return JSON.stringify(policy.save());
    });
    expect(new Set(states).size).toBe(4);
  });

  it("gives the same parameters for the same seed and groups", () => {
    const train = (seed: number) => {
      const policy = learner({ seed });
      for (let i = 0; i < 5; i++)
        policy.update([bandit(policy, 0, [1], createRng(i))], { entropyBonus: 0.01 });
      return policy.save();
    };
    expect(train(1)).toEqual(train(1));
    expect(train(1)).not.toEqual(train(2));
  });

  it.each(["epoch", "klCoef"])("refuses an option `%s`, which there is not", (name) => {
    expect(() => learner().update([mixed()], { [name]: 1 })).toThrow(InputError);
    expect(() => learner().update([mixed()], { [name]: 1 })).toThrow(
      `learner.update: no option \`${name}\`; it has advantage, prefix, epochs, minibatches, entropyBonus, `,
    );
  });

  it("names bad counts", () => {
    expect(() => learner().update([], { epochs: 0 })).toThrow(/`epochs`.* 0/);
    expect(() => learner().update([], { minibatches: 1.5 })).toThrow(InputError);
  });
});

describe("save and load", () => {
  it("goes on in another learner as if nothing had happened, through JSON", () => {
    const [here, there] = [learner({ seed: 1 }), learner({ seed: 2 })];
    here.update([mixed()]);
    there.load(JSON.parse(JSON.stringify(here.save())));
    here.update([mixed()]);
    there.update([mixed()]);
    expect(there.save()).toEqual(here.save());
  });

  it("saves a copy that later updates do not reach", () => {
    const policy = learner();
    const saved = policy.save();
    const text = JSON.stringify(saved);
    policy.update([mixed()]);
    expect(JSON.stringify(saved)).toBe(text);
  });

  it("refuses the state of another shape, naming the field, and changes nothing", () => {
    const policy = learner();
    const before = policy.save();
    expect(() => policy.load(learner({ hidden: 12 }).save())).toThrow(/`hidden` 8, got 12/);
    expect(() => policy.load({ ...before, parameters: [1] })).toThrow(InputError);
    expect(() => policy.load({ ...before, parameters: before.parameters.map(() => Number.NaN) })).toThrow(
      /finite/,
    );
    const { steps: _, ...moments } = before.adam;
    const unsure = { ...before, adam: moments } as unknown as typeof before;
    const other = { ...unsure, parameters: before.parameters.map(() => 0) };
    expect(() => policy.load(other)).toThrow("adam: expected `steps` to be a whole number from 0 up");
    expect(policy.save()).toEqual(before);
  });
});
