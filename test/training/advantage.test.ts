import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.ts";
import { drGrpo, grpo, rloo } from "../../core/training/advantage.ts";

const oneInEight = [0, 0, 0, 1, 0, 0, 0, 0];
const rewards = fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { maxLength: 12 });
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe("grpo", () => {
  it("divides by the population standard deviation by default, as rLLM does", () => {
    expect(grpo(oneInEight)[3]).toBeCloseTo(2.646, 3);
    expect(grpo(oneInEight)[0]).toBeCloseTo(-0.378, 3);
    expect(grpo(oneInEight)[3]).toBe(0.875 / (Math.sqrt(0.109375) + 1e-6));
  });

  it("divides by the sample standard deviation when told to, as verl does", () => {
    expect(grpo(oneInEight, { std: "sample" })[3]).toBeCloseTo(2.475, 3);
  });

  it("divides by nothing with `none`", () => {
    expect(grpo(oneInEight, { std: "none" })[3]).toBe(0.875);
  });

  it("adds epsilon to the standard deviation", () => {
    expect(grpo([0, 1], { epsilon: 0.5 })).toEqual([-0.5, 0.5]);
    expect(grpo([0, 1], { epsilon: 0 })).toEqual([-1, 1]);
  });

  it("gives exactly 0 for equal rewards whose mean is rounded", () => {
    for (const std of ["population", "sample", "none"] as const) {
      expect(grpo([0.1, 0.1, 0.1], { std })).toEqual([0, 0, 0]);
    }
  });

  it("sums to 0 over a group of two or more, whatever is divided by", () => {
    fc.assert(
      fc.property(rewards, fc.constantFrom("population", "sample", "none"), (group, std) => {
        fc.pre(group.length !== 1);
        expect(Math.abs(sum(grpo(group, { std, epsilon: 1e-3 })))).toBeLessThan(1e-7);
      }),
    );
  });

  it("names a bad epsilon", () => {
    expect(() => grpo([0, 1], { epsilon: -1 })).toThrow(/grpo: .*`epsilon`.* -1/);
    expect(() => grpo([0, 1], { epsilon: Number.NaN })).toThrow(InputError);
  });
});

describe("drGrpo", () => {
  it("is the reward minus the mean", () => {
    expect(drGrpo([1, 0, 0, 0])).toEqual([0.75, -0.25, -0.25, -0.25]);
  });
});

describe("rloo", () => {
  it("is the reward minus the mean of the others", () => {
    fc.assert(
      fc.property(rewards, (group) => {
        fc.pre(group.length > 1);
        const got = rloo(group);
        group.forEach((reward, index) => {
          expect(got[index]).toBeCloseTo(reward - (sum(group) - reward) / (group.length - 1), 9);
        });
      }),
    );
  });

  it("gives exactly 0 for equal rewards", () => {
    expect(rloo([0.1, 0.1, 0.1])).toEqual([0, 0, 0]);
  });
});

describe.each([
  ["grpo", grpo],
  ["drGrpo", drGrpo],
  ["rloo", rloo],
])("%s on any group", (name, advantage) => {
  it("gives a group of one its reward", () => {
    expect(advantage([0.7])).toEqual([0.7]);
  });

  it("gives an empty group nothing", () => {
    expect(advantage([])).toEqual([]);
  });

  it("names the index of a reward that is not finite", () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => advantage([0, 1, bad])).toThrow(InputError);
      expect(() => advantage([0, 1, bad])).toThrow(`${name === "drGrpo" ? "grpo" : name}: expected finite`);
      expect(() => advantage([0, 1, bad])).toThrow("at index 2");
    }
  });
});
