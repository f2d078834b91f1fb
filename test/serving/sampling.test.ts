import fc from "fast-check";
import { expect, test } from "vitest";
import { createRng } from "../../core/rng.ts";
import type { WeightedReply } from "./policies.ts";
import { type SamplingRules, sampleReply, sampleRng } from "./sampling.ts";
import { tinyTokenizer } from "./tokenizer.ts";

const RULES: SamplingRules = {
  temperature: 1,
  topP: 1,
  topK: -1,
  maxTokens: 100,
  stop: [],
  stopTokenIds: [],
  includeStop: false,
  skipSpecial: true,
  topLogprobs: 0,
};
const moves: readonly WeightedReply[] = ["```Up```", "```Down```", "```Left```", "```Right```"].map(
  (text) => ({
    text,
    weight: 1,
  }),
);
const sample = (replies: readonly WeightedReply[], rules: Partial<SamplingRules> = {}, seed = 0) =>
  sampleReply(replies, { ...RULES, ...rules }, () => sampleRng([1, 2, 3], seed));

test("a reply is the ids of one of the texts, ended by the end of sequence", () => {
  const { tokenIds, text, finishReason, stopReason } = sample(moves);
  expect(moves.map((move) => move.text)).toContain(text);
  expect(tokenIds).toEqual([...tinyTokenizer.encode(text), tinyTokenizer.eosTokenId]);
  expect({ finishReason, stopReason }).toEqual({ finishReason: "stop", stopReason: null });
});

test("the log-probabilities of a reply sum to that of its text", () => {
  const weighted = fc.uniqueArray(
    fc.record({
      text: fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 4 }),
      weight: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 1, selector: ({ text }) => text },
  );
  fc.assert(
    fc.property(weighted, fc.nat(), (replies, seed) => {
      const { text, logprobs, tokenIds } = sample(replies, {}, seed);
      const total = replies.reduce((sum, { weight }) => sum + weight, 0);
      const own = replies.find((reply) => reply.text === text)!.weight;
      expect(logprobs).toHaveLength(tokenIds.length);
      expect(logprobs!.reduce((sum: number, one) => sum + one!, 0)).toBeCloseTo(Math.log(own / total), 9);
    }),
  );
});

test("processed log-probabilities are of what is sampled from: the reply is the same, and over all choices they sum to 1", () => {
  const replies = [
    { text: "a", weight: 6 },
    { text: "b", weight: 3 },
    { text: "c", weight: 1 },
  ];
  const probabilities = (rules: Partial<SamplingRules>) => {
    const reply = sample(replies, { ...rules, processed: true, topLogprobs: 3 });
    const { tokenIds, logprobs } = sample(replies, rules);
    expect(reply.tokenIds).toEqual(tokenIds);
    if (rules.temperature === 0) expect(reply.logprobs).toEqual(logprobs);
    expect(reply.top[0]!.map(({ logprob }) => logprob)).toContain(reply.logprobs![0]);
    return reply.top[0]!.map(({ logprob }) => Math.round(1000 * Math.exp(logprob)) / 1000);
  };
  expect(probabilities({})).toEqual([0.6, 0.3, 0.1]);
  expect(probabilities({ temperature: 0.5 })).toEqual([0.783, 0.196, 0.022]);
  expect(probabilities({ topK: 2 })).toEqual([0.667, 0.333, 0]);
  expect(probabilities({ topP: 0.5 })).toEqual([1, 0, 0]);
  expect(probabilities({ temperature: 0 })).toEqual([0.6, 0.3, 0.1]);
});

test("each text comes as often as it is likely", () => {
  const replies = [
    { text: "ab", weight: 1 },
    { text: "ac", weight: 2 },
    { text: "b", weight: 3 },
  ];
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 3000; seed++) {
    const { text } = sample(replies, {}, seed);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  for (const { text, weight } of replies)
    expect(Math.abs(counts.get(text)! - weight * 500)).toBeLessThan(100);
});

test("the seed and the prompt decide, and nothing else", () => {
  expect(sample(moves, {}, 7)).toEqual(sample(moves, {}, 7));
  const texts = (prompt: number[]) =>
    Array.from({ length: 20 }, (_, seed) => sampleReply(moves, RULES, () => sampleRng(prompt, seed)).text);
  expect(texts([1])).not.toEqual(texts([2]));
  expect(new Set(texts([1])).size).toBe(4);
});

test("at temperature 0, with top-k 1 and with a small top-p only the likeliest comes", () => {
  const replies = [
    { text: "a", weight: 2 },
    { text: "b", weight: 3 },
  ];
  for (const rules of [{ temperature: 0 }, { topK: 1 }, { topP: 0.5 }]) {
    const texts = Array.from({ length: 30 }, (_, seed) => sample(replies, rules, seed).text);
    expect(new Set(texts)).toEqual(new Set(["b"]));
  }
});

test("a cold sample is rarer away from the likeliest, and its log-probability stays that of temperature 1", () => {
  const replies = [
    { text: "a", weight: 1 },
    { text: "b", weight: 3 },
  ];
  const cold = Array.from({ length: 500 }, (_, seed) => sample(replies, { temperature: 0.5 }, seed));
  const rare = cold.filter(({ text }) => text === "a");
  expect(Math.abs(rare.length - 50)).toBeLessThan(25);
  expect(rare[0]!.logprobs![0]).toBeCloseTo(Math.log(1 / 4), 12);
});

test("the best alternatives are told, filled up with what never comes", () => {
  const { top, tokenIds } = sample(moves, { topLogprobs: 5 });
  expect(top).toHaveLength(tokenIds.length);
  expect(top.every((place) => place.length === 5)).toBe(true);
  const first = top[3]!.map(({ logprob }) => logprob);
  expect(first.slice(0, 4)).toEqual([1, 1, 1, 1].map(() => Math.log(1 / 4)));
  expect(first[4]).toBe(-9999);
});

test("a long reply is cut at its most tokens", () => {
  const { tokenIds, text, finishReason } = sample([{ text: "abcdef", weight: 1 }], { maxTokens: 3 });
  expect({ n: tokenIds.length, text, finishReason }).toEqual({ n: 3, text: "abc", finishReason: "length" });
});

test("a stop token ends the reply, is its last id and not in its text", () => {
  const { tokenIds, text, stopReason } = sample([{ text: "ab\nc", weight: 1 }], { stopTokenIds: [10] });
  expect({ tokenIds, text, stopReason }).toEqual({ tokenIds: [97, 98, 10], text: "ab", stopReason: 10 });
});

test("the end of sequence is no stop reason, even if it is asked for", () => {
  const { stopReason } = sample([{ text: "ab", weight: 1 }], { stopTokenIds: [tinyTokenizer.eosTokenId] });
  expect(stopReason).toBeNull();
});

test("a stop string cuts the text and not the ids", () => {
  const rules = { stop: ["never", "cd"] };
  const { tokenIds, text, stopReason, logprobs } = sample([{ text: "abcdef", weight: 1 }], rules);
  expect({ ids: tinyTokenizer.decode(tokenIds), text, stopReason }).toEqual({
    ids: "abcd",
    text: "ab",
    stopReason: "cd",
  });
  expect(logprobs).toHaveLength(4);
  expect(sample([{ text: "abcdef", weight: 1 }], { ...rules, includeStop: true }).text).toBe("abcd");
});

test("no random number is drawn where nothing is open", () => {
  const never = () => {
    throw new Error("drawn");
  };
  expect(sampleReply([{ text: "a", weight: 1 }], RULES, never).text).toBe("a");
  expect(() => sampleReply(moves, RULES, never)).toThrow("drawn");
  expect(sampleReply(moves, RULES, () => createRng(1)).text).toMatch(/^```/);
});
