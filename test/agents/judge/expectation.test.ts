import fc from "fast-check";
import { expect, test } from "vitest";
import { expectedDigit, tokenAt } from "../../../agents/judge/expectation.ts";

const token = (text: string, probabilities: Readonly<Record<string, number>>) => ({
  text,
  alternatives: Object.entries(probabilities).map(([other, p]) => ({ text: other, logprob: Math.log(p) })),
});

test("digits count by their probabilities, with and without a space before them", () => {
  expect(expectedDigit(token("7", { "7": 0.5, "8": 0.25, " 8": 0.25 }), 9)).toBeCloseTo(7.5);
});

test("what is no digit, or over the scale, does not count", () => {
  const { alternatives } = token("3", { "3": 0.4, "5": 0.2, "9": 0.2, "10": 0.1, x: 0.05, "\u0663": 0.05 });
  expect(expectedDigit({ text: "3", alternatives }, 5)).toBeCloseTo((3 * 0.4 + 5 * 0.2) / 0.6);
});

test("no expectation without a digit, or where digits were unlikely", () => {
  expect(expectedDigit(token("x", { "7": 1 }), 9)).toBeUndefined();
  expect(expectedDigit(token("70", { "7": 1 }), 9)).toBeUndefined();
  expect(expectedDigit(token("7", {}), 9)).toBeUndefined();
  expect(expectedDigit(token("7", { "7": 0.3, the: 0.7 }), 9)).toBeUndefined();
});

test("numbers that are no log-probabilities are passed over", () => {
  const alternatives = [
    { text: "7", logprob: Math.log(0.9) },
    { text: "1", logprob: Number.NaN },
    { text: "2", logprob: 5 },
    { text: "3", logprob: Number.POSITIVE_INFINITY },
    { text: "4", logprob: Number.NEGATIVE_INFINITY },
  ];
  expect(expectedDigit({ text: "7", alternatives }, 9)).toBeCloseTo(7);
});

test("an expectation lies between the least and the greatest digit", () => {
  const digits = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 9 }), fc.double({ min: -40, max: 0, noNaN: true })),
    {
      minLength: 1,
      maxLength: 20,
    },
  );
  fc.assert(
    fc.property(digits, (pairs) => {
      const alternatives = [["7", 0] as const, ...pairs].map(([digit, logprob]) => ({
        text: `${digit}`,
        logprob,
      }));
      const found = alternatives.map(({ text }) => Number(text));
      const mean = expectedDigit({ text: "7", alternatives }, 9)!;
      expect(mean).toBeGreaterThanOrEqual(Math.min(...found) - 1e-9);
      expect(mean).toBeLessThanOrEqual(Math.max(...found) + 1e-9);
    }),
  );
});

test("a token is found by an offset into the joined text", () => {
  const tokens = ["ab", "", "c", "de"].map((text) => ({ text, alternatives: [] }));
  expect([0, 1, 2, 3, 4, 5].map((at) => tokenAt(tokens, at)?.text)).toEqual([
    "ab",
    "ab",
    "c",
    "de",
    "de",
    undefined,
  ]);
});
