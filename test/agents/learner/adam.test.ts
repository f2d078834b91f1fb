import { describe, expect, it } from "vitest";
import { type AdamState, createAdam } from "../../../agents/learner/adam.ts";
import { ForkGymError, InputError } from "../../../core/errors.ts";

describe("createAdam", () => {
  it("moves each parameter by the learning rate at first, whatever the size of its gradient", () => {
    const parameters = Float64Array.of(1, 1, 1);
    createAdam(3).step(parameters, Float64Array.of(100, -0.01, 0));
    expect(parameters[0]).toBeCloseTo(1 - 3e-3, 8);
    expect(parameters[1]).toBeCloseTo(1 + 3e-3, 8);
    expect(parameters[2]).toBe(1);
  });

  it("follows the published recurrences", () => {
    const parameters = Float64Array.of(0.5);
    const adam = createAdam(1, { learningRate: 0.1, beta1: 0.8, beta2: 0.9, epsilon: 1e-3 });
    let [expected, m, v] = [0.5, 0, 0];
    [2, -1, 0.5, 0].forEach((g, index) => {
      adam.step(parameters, Float64Array.of(g));
      m = 0.8 * m + 0.2 * g;
      v = 0.9 * v + 0.1 * g * g;
      const [mHat, vHat] = [m / (1 - 0.8 ** (index + 1)), v / (1 - 0.9 ** (index + 1))];
      expected -= (0.1 * mHat) / (Math.sqrt(vHat) + 1e-3);
      expect(parameters[0]).toBeCloseTo(expected, 12);
    });
  });

  it("scales a long gradient down to maxGradNorm and returns the norm it had", () => {
    const [clipped, short] = [Float64Array.of(0, 0), Float64Array.of(0, 0)];
    const options = { epsilon: 0.1 };
    expect(createAdam(2, { ...options, maxGradNorm: 2 }).step(clipped, Float64Array.of(30, 40))).toBe(50);
    createAdam(2, options).step(short, Float64Array.of(1.2, 1.6));
    expect(clipped[0]).toBeCloseTo(short[0]!, 12);
    expect(clipped[1]).toBeCloseTo(short[1]!, 12);
    expect(createAdam(2, { maxGradNorm: 100 }).step(clipped, Float64Array.of(3, 4))).toBe(5);
  });

  it("goes on from a saved state as if nothing had happened, through JSON", () => {
    const [a, b] = [createAdam(2), createAdam(2)];
    const here = Float64Array.of(0, 0);
    a.step(here, Float64Array.of(1, 1 / 3));
    const there = here.slice();
    b.load(JSON.parse(JSON.stringify(a.save())));
    a.step(here, Float64Array.of(0.1, -1));
    b.step(there, Float64Array.of(0.1, -1));
    expect(there).toEqual(here);
    expect(b.save()).toEqual(a.save());
    expect(b.save().steps).toBe(2);
  });

  it("refuses a gradient that is not finite, and changes nothing", () => {
    const adam = createAdam(2);
    const parameters = Float64Array.of(1, 2);
    const before = adam.save();
    expect(() => adam.step(parameters, Float64Array.of(1, Number.NaN))).toThrow(ForkGymError);
    expect([...parameters]).toEqual([1, 2]);
    expect(adam.save()).toEqual(before);
  });

  it("names bad options and a state of another size", () => {
    expect(() => createAdam(1, { learningRate: 0 })).toThrow(/`learningRate`.* 0/);
    expect(() => createAdam(1, { beta2: 1 })).toThrow(InputError);
    expect(() => createAdam(1, { maxGradNorm: -1 })).toThrow(/`maxGradNorm`/);
    expect(() => createAdam(1).load(createAdam(2).save())).toThrow(/`m` of 1 numbers, got 2/);
  });

  it("names a state with a number that is none, and changes nothing", () => {
    const adam = createAdam(2);
    adam.step(Float64Array.of(0, 0), Float64Array.of(1, 2));
    const saved = adam.save();
    for (const [damage, message] of [
      [{ steps: undefined }, "adam: expected `steps` to be a whole number from 0 up, got undefined"],
      [{ steps: 1.5 }, "adam: expected `steps` to be a whole number from 0 up, got 1.5"],
      [{ steps: -1 }, "adam: expected `steps` to be a whole number from 0 up, got -1"],
      [{ m: [0, null] }, "adam: expected `m` to be finite numbers, got null at index 1"],
      [{ v: [Number.NaN, 1] }, "adam: expected `v` to be finite numbers from 0 up, got NaN at index 0"],
      [{ v: [1, -1] }, "adam: expected `v` to be finite numbers from 0 up, got -1 at index 1"],
    ] as const) {
      const state = { ...saved, ...damage } as AdamState;
      expect(() => adam.load(state)).toThrow(InputError);
      expect(() => adam.load(state)).toThrow(message);
      expect(adam.save()).toEqual(saved);
    }
  });
});
