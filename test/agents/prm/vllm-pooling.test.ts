import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ServerError } from "../../../agents/model-server/errors.ts";
import { type VllmPoolingOptions, vllmPooling } from "../../../agents/prm/index.ts";
import { scriptedPost } from "./lab.ts";

const signal = new AbortController().signal;
const two = [
  { problem: "p", steps: ["a", "b"] },
  { problem: "q", steps: ["c"] },
];
const reply = {
  data: [
    { index: 1, object: "pooling", data: [[0.2, 0.8]] },
    {
      index: 0,
      object: "pooling",
      data: [
        [0.9, 0.1],
        [0.6, 0.4],
      ],
    },
  ],
  usage: { prompt_tokens: 40, total_tokens: 40 },
};

const model = "Qwen/Qwen2.5-Math-PRM-7B";
const serverOf = (answer: unknown, more: Partial<VllmPoolingOptions> = {}) => {
  const post = scriptedPost(() => answer);
  return { post, server: vllmPooling({ post, model, ...more }) };
};

test("steps are joined by the token that is scored, in Qwen's chat form", async () => {
  const { post, server } = serverOf(reply, { system: "S" });
  await server.score(two, signal);
  expect(post.posts).toEqual([
    {
      path: "/pooling",
      body: {
        model,
        input: [
          "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\np<|im_end|>\n<|im_start|>assistant\na<extra_0>b<extra_0><|im_end|>\n",
          "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\nc<extra_0><|im_end|>\n",
        ],
      },
    },
  ]);
});

test("a renderer, another separator, no system message, further fields", async () => {
  const { post, server } = serverOf(reply, {
    render: (messages) => messages.map(({ content }) => content.length),
    separator: "[S]",
    system: "",
    body: { task: "token_classify" },
  });
  await server.score(two, signal);
  expect(post.posts[0]!.body).toEqual({
    task: "token_classify",
    model,
    input: [
      [1, 8],
      [1, 4],
    ],
  });
});

test("replies are put in the order of the branches, and a step's score is the probability of good", async () => {
  expect(await serverOf(reply).server.score(two, signal)).toEqual({
    results: [[0.1, 0.4], [0.8]],
    promptTokens: 40,
  });
});

test("tokens that are counted as cached once more are those of the prompts", async () => {
  const usage = { prompt_tokens: 3, prompt_tokens_details: { cached_tokens: 6 } };
  const scored = await serverOf({ ...reply, usage }).server.score(two, signal);
  expect(scored).toMatchObject({ promptTokens: 3, cachedTokens: 3 });
});

describe("with tokens that can be counted", () => {
  const long = { problem: "p", steps: ["aaaa", "bb", "cc"] };
  const letters = (text: string) => [...text].map((_, at) => at);
  const contents = (messages: readonly { content: string }[]) =>
    messages.map(({ content }) => content).join("");
  const pooled = (input: readonly unknown[]) => ({
    data: input.map((text, index) => ({
      index,
      data: (String(text).match(/;/g) ?? []).map(() => [0.25, 0.75]),
    })),
  });
  const bounded = (more: Partial<VllmPoolingOptions>) => {
    const post = scriptedPost(({ body }) => pooled(body.input));
    const server = vllmPooling({ post, model, system: "", separator: ";", render: contents, ...more });
    return { post, score: (...branches: (typeof long)[]) => server.score(branches, signal) };
  };

  test("the oldest steps give way", async () => {
    const { post, score } = bounded({ encode: letters, maxTokens: 7 });
    expect((await score(long)).results).toEqual([[0.75, 0.75]]);
    expect(post.posts[0]!.body.input).toEqual(["pbb;cc;"]);
  });

  test("a branch whose last step does not fit leaves the others their scores", async () => {
    const { post, score } = bounded({ encode: letters, maxTokens: 7 });
    const tooLong = { problem: "problem", steps: ["d"] };
    expect((await score(tooLong, long)).results).toEqual([
      { unreadable: "/pooling: the problem and the last step are over 7 tokens" },
      [0.75, 0.75],
    ]);
    await score(tooLong);
    expect(post.posts).toHaveLength(1);
  });

  test("the bound is the model's window", async () => {
    const { post, score } = bounded({ encode: letters });
    await score({ problem: "p", steps: ["a".repeat(4096), "b"] });
    expect(post.posts[0]!.body.input).toEqual(["pb;"]);
  });

  test("a renderer that gives tokens needs no `encode`", async () => {
    const { post, score } = bounded({ render: (messages) => letters(contents(messages)), maxTokens: 7 });
    await score(long);
    expect(post.posts[0]!.body.input).toEqual([[0, 1, 2, 3, 4, 5, 6]]);
  });

  test("a bound that nothing counts is refused", () => {
    const post = scriptedPost(() => reply);
    expect(() => vllmPooling({ post, model, maxTokens: 9 })).toThrow(/`maxTokens` needs `encode`/);
    expect(() => vllmPooling({ post, model, maxTokens: 0, encode: letters })).toThrow(/`maxTokens`/);
  });
});

test("single probabilities, and logits", async () => {
  const answer = (data: unknown) => ({ data: [{ index: 0, data }] });
  const one = [two[1]!];
  const of = async (data: unknown, values?: "logits") =>
    (await serverOf(answer(data), values && { values }).server.score(one, signal)).results[0];
  expect(await of([0.3])).toEqual([0.3]);
  expect(await of([[0.3]])).toEqual([0.3]);
  expect(await of([0], "logits")).toEqual([0.5]);
  expect(await of([[1, 3]], "logits")).toEqual([expect.closeTo(1 / (1 + Math.exp(-2)), 12)]);
  expect(await of([[-800, 800]], "logits")).toEqual([1]);
  expect(await of([[800, -800]], "logits")).toEqual([0]);
});

describe("what does not fit one branch makes that one unreadable and leaves the others", () => {
  test.each([
    ["too few steps", [[0.9, 0.1]]],
    ["too many steps", [0.1, 0.2, 0.3]],
    [
      "a pair that is no distribution",
      [
        [0.9, 0.1],
        [1.9, 2.4],
      ],
    ],
    [
      "logits where probabilities are due",
      [
        [0.9, 0.1],
        [-3, 3],
      ],
    ],
    ["a pair of more than one", [0.5, [0.9, 0.9]]],
    ["a negative", [-0.1, 0.5]],
    [
      "three classes",
      [
        [0.9, 0.1],
        [0.2, 0.3, 0.5],
      ],
    ],
    ["nothing of a step", [[0.9, 0.1], []]],
    [
      "null for NaN",
      [
        [0.9, 0.1],
        [null, null],
      ],
    ],
    [
      "NaN",
      [
        [0.9, 0.1],
        [Number.NaN, Number.NaN],
      ],
    ],
    ["texts", ["0.5", "0.5"]],
    ["base64", "AAAA"],
    ["nothing", undefined],
  ])("%s", async (_, data) => {
    const { server } = serverOf({
      data: [
        { index: 0, data },
        { index: 1, data: [[0.2, 0.8]] },
      ],
    });
    const { results } = await server.score(two, signal);
    expect(results).toEqual([{ unreadable: expect.stringMatching(/^\/pooling: expected/) }, [0.8]]);
  });
});

describe("what does not fit the request is a malformed reply", () => {
  test.each([
    ["nothing", undefined],
    ["a text", "busy"],
    ["no data", { error: { message: "no" } }],
    ["too few entries", { data: [reply.data[0]] }],
    ["an index twice", { data: [reply.data[0], reply.data[0]] }],
    ["an index outside", { data: [reply.data[0], { index: 2, data: [] }] }],
    ["no index", { data: [reply.data[0], { data: [[0.5, 0.5]] }] }],
    ["no entry", { data: [reply.data[0], null] }],
  ])("%s", async (_, answer) => {
    const failure = serverOf(answer).server.score(two, signal);
    await expect(failure).rejects.toBeInstanceOf(ServerError);
    await expect(failure).rejects.toMatchObject({ fault: "malformed" });
  });
});

test("whatever JSON comes back, scores are from 0 to 1 or there are none", async () => {
  const step = fc.oneof(
    fc.double(),
    fc.array(fc.double({ min: -1, max: 2 }), { maxLength: 3 }),
    fc.jsonValue(),
  );
  const entry = fc.record({
    index: fc.integer({ min: 0, max: 1 }),
    data: fc.oneof(fc.array(step, { maxLength: 3 }), fc.jsonValue()),
  });
  const answer = fc.oneof(fc.record({ data: fc.array(entry, { maxLength: 3 }) }), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(
      answer,
      fc.constantFrom("logits" as const, "probabilities" as const),
      async (any, values) => {
        const given = await serverOf(any, { values })
          .server.score(two, signal)
          .catch((error: unknown) => error);
        if (given instanceof ServerError) return;
        const { results } = given as { results: readonly (readonly number[] | { unreadable: string })[] };
        for (const [index, result] of results.entries()) {
          if ("unreadable" in result) continue;
          expect(result).toHaveLength(two[index]!.steps.length);
          expect(result.every((score) => score >= 0 && score <= 1)).toBe(true);
        }
      },
    ),
    { numRuns: 500 },
  );
});
