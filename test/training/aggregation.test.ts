import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.ts";
import { type Aggregation, sequenceScales } from "../../core/training/aggregation.ts";

const sequence = (...weights: number[]) => ({ logprobs: weights.map(() => 0), weights, group: "one" });
// Weights of 2, 0 (fully masked) and 0.5.
const sequences = [sequence(1, 1, 0), sequence(0, 0, 0, 0), sequence(0.5)];

describe("sequenceScales", () => {
  it.each<[Aggregation, number[]]>([
    ["token-mean", [1 / 2.5, 0, 1 / 2.5]],
    ["seq-mean-token-mean", [1 / (2 * 2), 0, 1 / (2 * 0.5)]],
    ["group-mean-token-mean", [1 / (2 * 2), 0, 1 / (2 * 0.5)]],
    ["seq-mean-token-sum", [1 / 2, 0, 1 / 2]],
    ["seq-mean-token-sum-norm", [1 / 8, 0, 1 / 8]],
  ])(
    "%s counts weights as fractions of tokens and skips a fully masked sequence",
    (aggregation, expected) => {
      expect(sequenceScales(sequences, aggregation, 8)).toEqual(expected);
    },
  );

  it("is the mean per sequence by default", () => {
    expect(sequenceScales(sequences)).toEqual(sequenceScales(sequences, "seq-mean-token-mean"));
  });

  it("divides by the longest sequence if no scale is given", () => {
    expect(sequenceScales(sequences, "seq-mean-token-sum-norm")).toEqual([1 / 4, 0, 1 / 4]);
  });

  it("takes sequences without weights for whole, and nothing for nothing", () => {
    expect(sequenceScales([{ logprobs: [0, 0] }], "token-mean")).toEqual([0.5]);
    expect(sequenceScales([{ logprobs: [] }], "token-mean")).toEqual([0]);
    expect(sequenceScales([], "token-mean")).toEqual([]);
  });

  it("averages over groups by the sequences that count, and over sequences where groups are equally large", () => {
    const of = (group: string, ...weights: number[]) => ({ ...sequence(...weights), group });
    // Two groups count: one of two sequences (a third is fully masked) and one of one; a third group is masked whole.
    const trees = [of("a", 1, 1), of("b", 1), of("a", 1), of("a", 0), of("c", 0)];
    expect(sequenceScales(trees, "group-mean-token-mean")).toEqual([1 / 8, 1 / 2, 1 / 4, 0, 0]);
    const even = [of("a", 1, 1), of("b", 1), of("b", 0.5), of("a", 1, 0)];
    expect(sequenceScales(even, "group-mean-token-mean")).toEqual(
      sequenceScales(even, "seq-mean-token-mean"),
    );
  });

  it("names a sequence without a group where groups are averaged", () => {
    const [first, ...rest] = sequences;
    const { group: _, ...loose } = first!;
    expect(() => sequenceScales([...rest, loose], "group-mean-token-mean")).toThrow(InputError);
    expect(() => sequenceScales([...rest, loose], "group-mean-token-mean")).toThrow(
      "clippedObjective: sequence 2: `group-mean-token-mean` needs a `group`, got none",
    );
  });

  it("names an unknown aggregation and a bad scale", () => {
    expect(() => sequenceScales(sequences, "mean" as Aggregation)).toThrow(/unknown `aggregation` mean/);
    expect(() => sequenceScales(sequences, "token-mean", 0)).toThrow(InputError);
  });
});
