import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.ts";
import type { Aggregation } from "../../core/training/aggregation.ts";
import { clippedObjective, type ObjectiveOptions, type Sequence } from "../../core/training/objective.ts";

/** One token at this ratio: loss, its gradient, and the rest. */
function oneToken(ratio: number, advantage: number, options: ObjectiveOptions = {}) {
  const sequence = { logprobs: [Math.log(ratio) - 1], oldLogprobs: [-1], advantage };
  const { gradients, ...rest } = clippedObjective([sequence], options);
  return { gradient: gradients[0]![0]!, ...rest };
}

describe("clippedObjective", () => {
  it.each([
    // advantage, ratio, loss, gradient, clipped
    [2, 1, -2, -2, 0],
    [2, 1.2, -2.4, -2.4, 0],
    [2, 1.5, -2.56, 0, 1], // a gain stops at 1 + 0.28
    [2, 0.5, -1, -1, 0], // a loss goes on
    [-2, 1, 2, 2, 0],
    [-2, 1.5, 3, 3, 0],
    [-2, 0.5, 1.6, 0, 1], // a gain stops at 1 - 0.2
    [0, 1.5, 0, 0, 0],
  ])("at advantage %d and ratio %d the loss is %d", (advantage, ratio, loss, gradient, clipped) => {
    const got = oneToken(ratio, advantage);
    expect(got.loss).toBeCloseTo(loss, 12);
    expect(got.gradient).toBeCloseTo(gradient, 12);
    expect(got.clipFraction).toBe(clipped);
    expect(got.ratioMean).toBeCloseTo(ratio, 12);
    expect(got.dualClipFraction).toBe(0);
  });

  it("takes other clip bounds", () => {
    expect(oneToken(1.5, 1, { clipHigh: 0.2 }).loss).toBeCloseTo(-1.2, 12);
    expect(oneToken(0.5, -1, { clipLow: 0.4 }).loss).toBeCloseTo(0.6, 12);
  });

  it("bounds the loss of a negative advantage with dualClip, and of that only", () => {
    expect(oneToken(5, -2, { dualClip: 3 })).toMatchObject({ loss: 6, gradient: 0, dualClipFraction: 1 });
    expect(oneToken(5, -2).loss).toBeCloseTo(10, 12);
    expect(oneToken(2, -2, { dualClip: 3 }).gradient).toBeCloseTo(4, 12);
    expect(oneToken(5, 2, { dualClip: 3 })).toMatchObject({ loss: -2.56, dualClipFraction: 0 });
  });

  it("clamps the log-ratio at 20, where the gradient ends", () => {
    const far = { logprobs: [0], oldLogprobs: [-30], advantage: -1 };
    const { loss, gradients } = clippedObjective([far]);
    expect(loss).toBe(Math.exp(20));
    expect(gradients[0]![0]).toBe(0);
  });

  it("adds the k3 estimate of KL to the reference", () => {
    const at = (logprob: number, ref: number) =>
      clippedObjective([{ logprobs: [logprob], oldLogprobs: [logprob], refLogprobs: [ref], advantage: 0 }], {
        klCoef: 0.1,
      });
    const near = at(-1, -1.5);
    expect(near.kl).toBeCloseTo(Math.exp(-0.5) + 0.5 - 1, 12);
    expect(near.loss).toBeCloseTo(0.1 * near.kl, 12);
    expect(near.gradients[0]![0]).toBeCloseTo(0.1 * (1 - Math.exp(-0.5)), 12);
    for (const far of [at(-40, -1), at(-4, -1), at(-1, -15)]) {
      expect(far.kl).toBe(10);
      expect(far.loss).toBe(1);
      expect(far.gradients[0]![0]).toBe(0);
    }
  });

  it("reports the KL without adding it when its weight is 0", () => {
    const sequence = { logprobs: [-1], oldLogprobs: [-1], refLogprobs: [-2], advantage: 0 };
    const { loss, kl } = clippedObjective([sequence]);
    expect(loss).toBe(0);
    expect(kl).toBeCloseTo(Math.exp(-1), 12);
  });

  // Ratio 1 everywhere: a token's loss is minus its advantage. A fully masked sequence comes along.
  const flat = (advantage: number, ...weights: number[]): Sequence => {
    const logprobs = weights.map(() => -1);
    return { logprobs, oldLogprobs: logprobs, advantage, weights };
  };
  const batch = [flat(1, 1, 1, 1, 1), flat(-3, 1, 0), flat(7, 0, 0)];
  it.each<[Aggregation, number, number, number]>([
    ["token-mean", (-4 + 3) / 5, -1 / 5, 3 / 5],
    ["seq-mean-token-mean", (-1 + 3) / 2, -1 / 8, 3 / 2],
    ["seq-mean-token-sum", (-4 + 3) / 2, -1 / 2, 3 / 2],
    ["seq-mean-token-sum-norm", (-4 + 3) / 4, -1 / 4, 3 / 4],
  ])("aggregates by %s", (aggregation, loss, first, second) => {
    const got = clippedObjective(batch, { aggregation });
    expect(got.loss).toBeCloseTo(loss, 12);
    expect([...got.gradients[0]!]).toEqual([first, first, first, first]);
    expect(got.gradients[1]![0]).toBeCloseTo(second, 12);
    expect(got.gradients[1]![1]).toBe(0);
    expect([...got.gradients[2]!]).toEqual([0, 0]);
  });

  it.each<[Aggregation, number]>([
    ["group-mean-token-mean", 1],
    ["seq-mean-token-mean", 4 / 10],
  ])("under %s a tree of 4 leaves pulls %d times as hard as one of 10", (aggregation, ratio) => {
    const tree = (group: string, leaves: number): Sequence[] =>
      Array.from({ length: leaves }, (_, at) => ({ ...flat(at % 2 === 0 ? 1 : -1, 1, 1), group }));
    const { gradients } = clippedObjective([...tree("four", 4), ...tree("ten", 10)], { aggregation });
    const mass = (lists: readonly Float64Array[]) =>
      lists.flatMap((list) => [...list]).reduce((sum, slope) => sum + Math.abs(slope), 0);
    expect(mass(gradients.slice(0, 4)) / mass(gradients.slice(4))).toBeCloseTo(ratio, 12);
    expect(mass(gradients)).toBeCloseTo(1, 12);
  });

  it("takes a weight for a fraction of a token", () => {
    const got = clippedObjective([flat(1, 1, 0.5), flat(-1, 0.5)], { aggregation: "token-mean" });
    expect(got.loss).toBeCloseTo((-1.5 + 0.5) / 2, 12);
    expect([...got.gradients[0]!]).toEqual([-0.5, -0.25]);
    expect([...got.gradients[1]!]).toEqual([0.25]);
  });

  it("does not read what is masked", () => {
    const masked = { logprobs: [Number.NaN, -1], oldLogprobs: [-1, -1], advantage: 1, weights: [0, 1] };
    expect(clippedObjective([masked])).toMatchObject({ loss: -1, ratioMean: 1 });
  });

  it("is 0 for nothing", () => {
    const zero = { loss: 0, clipFraction: 0, dualClipFraction: 0, kl: 0, ratioMean: 0 };
    expect(clippedObjective([])).toEqual({ ...zero, gradients: [] });
    expect(clippedObjective([flat(1, 0)])).toMatchObject(zero);
  });

  it("has the gradient that central differences find", () => {
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 3 }), settings, (lists, options) => {
        const sequences = lists.map(({ advantage, group, list }) => ({
          advantage,
          group,
          logprobs: list.map(({ old, move }) => old + move),
          oldLogprobs: list.map(({ old }) => old),
          refLogprobs: list.map(({ ref }) => ref),
          weights: list.map(({ weight }) => weight),
        }));
        fc.pre(sequences.every((sequence) => awayFromKinks(sequence, options)));
        const { gradients } = clippedObjective(sequences, options);
        const h = 1e-6;
        sequences.forEach((sequence, index) => {
          sequence.logprobs.forEach((logprob, t) => {
            const lossAt = (value: number): number => {
              const logprobs = sequence.logprobs.with(t, value);
              return clippedObjective(sequences.with(index, { ...sequence, logprobs }), options).loss;
            };
            const numeric = (lossAt(logprob + h) - lossAt(logprob - h)) / (2 * h);
            expect(Math.abs(gradients[index]![t]! - numeric)).toBeLessThan(1e-6 * (1 + Math.abs(numeric)));
          });
        });
      }),
    );
  });

  it.each<[Partial<Sequence>, ObjectiveOptions, RegExp]>([
    [
      {},
      { klCoeff: 5 } as ObjectiveOptions,
      /^clippedObjective: no option `klCoeff`; it has clipLow, clipHigh/,
    ],
    [{}, { aggregation: "group-mean-token-mean" }, /sequence 0: .*needs a `group`/],
    [{}, { clipLow: 1.5 }, /`clipLow`.* 1.5/],
    [{}, { clipHigh: -0.1 }, /`clipHigh`.* -0.1/],
    [{}, { dualClip: 1 }, /`dualClip`.* 1/],
    [{}, { klCoef: -1 }, /`klCoef`.* -1/],
    [{}, { klCoef: 0.1 }, /sequence 0: .*`refLogprobs`/],
    [{ oldLogprobs: [] }, {}, /sequence 0: expected 1 `oldLogprobs`.* 0/],
    [{ weights: [1, 1] }, {}, /expected 1 `weights`.* 2/],
    [{ weights: [-1] }, {}, /weights from 0 up, got -1 at token 0/],
    [{ logprobs: [Number.NEGATIVE_INFINITY] }, {}, /token 0 is not finite/],
    [{ advantage: Number.NaN }, {}, /`advantage` is NaN/],
  ])("names bad input: %j %j", (part, options, message) => {
    const sequence = { logprobs: [-1], oldLogprobs: [-1], advantage: 1, ...part };
    expect(() => clippedObjective([sequence], options)).toThrow(InputError);
    expect(() => clippedObjective([sequence], options)).toThrow(message);
  });
});

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const token = fc.record({
  old: number(-3, -0.1),
  move: number(-1.5, 1.5),
  ref: number(-5, -0.1),
  weight: fc.constantFrom(0, 0.5, 1),
});
const tokens = fc.record({
  advantage: number(-3, 3),
  group: fc.constantFrom("a", "b"),
  list: fc.array(token, { minLength: 1, maxLength: 4 }),
});
const settings: fc.Arbitrary<ObjectiveOptions> = fc.record({
  dualClip: fc.constantFrom(1.5, 3),
  klCoef: fc.constantFrom(0, 0.3),
  aggregation: fc.constantFrom<Aggregation>(
    "token-mean",
    "seq-mean-token-mean",
    "group-mean-token-mean",
    "seq-mean-token-sum",
    "seq-mean-token-sum-norm",
  ),
});

function awayFromKinks(
  sequence: { logprobs: number[]; oldLogprobs: number[]; refLogprobs: number[] },
  options: ObjectiveOptions,
) {
  return sequence.logprobs.every((logprob, t) => {
    const ratio = Math.exp(logprob - sequence.oldLogprobs[t]!);
    const d = sequence.refLogprobs[t]! - logprob;
    const kinks = [0.8, 1.28, options.dualClip!].map((kink) => Math.abs(ratio - kink));
    return Math.min(...kinks, Math.abs(Math.exp(d) - d - 1 - 10)) > 1e-4;
  });
}
