import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNetwork, entropyOf, type Lanes, type Network } from "../../../agents/learner/network.ts";
import { InputError } from "../../../core/errors.ts";
import { createRng } from "../../../core/rng.ts";

const shape = { size: 6, count: 2, hidden: 8, actions: 3 };

/** Output weights drawn wide, so that no gradient is small by accident. */
function network(seed: number): Network {
  const made = createNetwork(shape, createRng(seed));
  const rng = createRng(`wide ${seed}`);
  for (let i = 0; i < made.parameters.length; i++) made.parameters[i]! += rng.next() - 0.5;
  return made;
}

function lanesWith(made: Network, features: readonly (readonly number[])[]): Lanes {
  const at = made.lanes(features.length);
  at.features.set(features.flat());
  features.forEach((_, lane) => {
    made.forward(at, lane);
  });
  return at;
}

const features = fc.tuple(fc.nat(5), fc.nat(5));
const slope = fc.double({ min: -2, max: 2, noNaN: true });

describe("createNetwork", () => {
  it("lays out all parameters in one array", () => {
    expect(createNetwork(shape, createRng(1)).parameters).toHaveLength(6 * 8 + 8 + 3 * 8 + 3);
  });

  it("depends on the stream alone, and starts out close to uniform", () => {
    const [a, b, c] = [1, 1, 2].map((seed) => createNetwork(shape, createRng(seed)));
    expect(a!.parameters).toEqual(b!.parameters);
    expect(a!.parameters).not.toEqual(c!.parameters);
    const at = lanesWith(a!, [
      [0, 1],
      [2, 5],
    ]);
    for (const logprob of at.logprobs) expect(Math.exp(logprob)).toBeCloseTo(1 / 3, 1);
    expect(entropyOf(at, 1, 3)).toBeGreaterThan(Math.log(3) - 1e-3);
  });

  it("computes tanh units over the active rows and a softmax over them", () => {
    const made = createNetwork({ size: 3, count: 2, hidden: 4, actions: 2 }, createRng(1));
    const rows = [0.1, 0, 0, 0, 7, 7, 7, 7, 0.3, 0, 0, 1, /* biases */ 0.2, 0, 0, -1];
    made.parameters.set([...rows, /* output */ 2, 0, 0, 0, -1, 0, 0, 0, /* biases */ 0.5, 0]);
    const at = lanesWith(made, [[0, 2]]);
    const unit = Math.tanh(0.1 + 0.3 + 0.2);
    const [x, y] = [2 * unit + 0.5, -unit];
    expect(at.hidden[0]).toBeCloseTo(unit, 12);
    expect(at.logprobs[0]).toBeCloseTo(x - Math.log(Math.exp(x) + Math.exp(y)), 12);
    expect(at.logprobs[1]).toBeCloseTo(y - Math.log(Math.exp(x) + Math.exp(y)), 12);
    made.forward(at, 0, 0.5);
    expect(at.logprobs[0]! - at.logprobs[1]!).toBeCloseTo(2 * (x - y), 12);
  });

  it("gives finite log-probabilities to extreme logits", () => {
    const made = createNetwork({ size: 1, count: 1, hidden: 4, actions: 2 }, createRng(1));
    made.parameters.set([9, 0, 0, 0, 0, 0, 0, 0, 4000, 0, 0, 0, -4000, 0, 0, 0, 0, 0]);
    const at = lanesWith(made, [[0]]);
    expect(at.logprobs[0]).toBe(0);
    expect(at.logprobs[1]).toBeLessThan(-7999);
    expect(entropyOf(at, 0, 2)).toBeCloseTo(0, 12);
  });

  it("computes each lane by itself", () => {
    fc.assert(
      fc.property(fc.array(features, { minLength: 1, maxLength: 4 }), (inputs) => {
        const made = network(3);
        const together = lanesWith(made, inputs);
        inputs.forEach((input, lane) => {
          expect(lanesWith(made, [input]).logprobs).toEqual(together.logprobs.slice(lane * 3, lane * 3 + 3));
        });
      }),
    );
  });

  it("has the gradient that central differences find, for the action and for the entropy", () => {
    fc.assert(
      fc.property(
        fc.nat(1000),
        features,
        features,
        fc.nat(2),
        slope,
        slope,
        (seed, one, two, action, a, b) => {
          const made = network(seed);
          const lossAt = (): number => {
            const at = lanesWith(made, [one, two]);
            return a * at.logprobs[action]! + b * entropyOf(at, 0, 3) + b * at.logprobs[3 + action]!;
          };
          const gradient = new Float64Array(made.parameters.length);
          const at = lanesWith(made, [one, two]);
          made.backward(at, 0, action, a, b, gradient);
          made.backward(at, 1, action, b, 0, gradient);
          const h = 1e-5;
          gradient.forEach((analytic, i) => {
            const kept = made.parameters[i]!;
            made.parameters[i] = kept + h;
            const up = lossAt();
            made.parameters[i] = kept - h;
            const numeric = (up - lossAt()) / (2 * h);
            made.parameters[i] = kept;
            expect(Math.abs(analytic - numeric)).toBeLessThan(1e-7);
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  it("names a feature out of range and a bad shape", () => {
    const made = network(1);
    expect(() => lanesWith(made, [[0, 6]])).toThrow(InputError);
    expect(() => lanesWith(made, [[0, -1]])).toThrow(/fill 2 places with 0 to 5, got -1/);
    expect(() => createNetwork({ ...shape, hidden: 6 }, createRng(1))).toThrow(/multiple of 4, got 6/);
    expect(() => createNetwork({ ...shape, hidden: 0 }, createRng(1))).toThrow(/`hidden`.* 0/);
  });
});
