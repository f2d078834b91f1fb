import { describe, expect, test } from "vitest";
import { arpoEntropy } from "../../../agents/model-server/entropy.ts";
import { ServerError } from "../../../agents/model-server/errors.ts";
import { type ModelPolicyOptions, modelPolicy } from "../../../agents/model-server/policy.ts";
import type { SampleRecord } from "../../../agents/model-server/sample-record.ts";
import { CHATML, ChatTemplate } from "../../../agents/model-server/tokens/chat-template.ts";
import type { Dialogue } from "../../../core/dialogue.ts";
import { InputError } from "../../../core/errors.ts";
import { createRng } from "../../../core/rng.ts";
import { rollout } from "../../../core/rollout/engine.ts";
import { independent } from "../../../core/rollout/strategies/independent.ts";
import { treeRandom } from "../../../core/rollout/strategies/tree-random.ts";
import { type Node, pathTo } from "../../../core/rollout/tree.ts";
import { toRecord, toTree } from "../../../core/run/record.ts";
import { type GuessData, GuessEnv } from "../../fakes/guess-env.ts";
import { fakeServer } from "./fake-server.ts";
import { tinyTokenizer } from "./tokens/tiny-tokenizer.ts";

type GuessNode = Node<string, number>;
type Options = ModelPolicyOptions<GuessData, string, number>;

const chat = new ChatTemplate({ tokenizer: tinyTokenizer(), template: CHATML });
const { tokenizer, endOfTurn } = chat;
const dialogue: Dialogue<GuessData, string, number> = {
  name: "guess",
  opening: ({ data }) => [{ role: "system", content: `From 1 to ${data.max}` }],
  observe: (_, node) => ({ role: "user", content: `${node.turn}: ${node.observation}` }),
  parse: (reply) => Number(/\d/.exec(reply)?.[0] ?? -1),
};
const task = { id: "guess/1", data: { max: 9, maxTurns: 6 } };

/** A digit in two words that a tokenizer would cut otherwise; every third reply is cut before its end. */
const tokens = (seed: number) => [
  ...["t", "h", "e", " ", "1", String(seed % 9)].flatMap((piece) => tokenizer.encode(piece)),
  ...(seed % 3 === 0 ? [] : [endOfTurn!]),
];
const sampleOf = (node: GuessNode) => node.choice!.sample as unknown as SampleRecord;

function growing(options: Partial<Options> & Pick<Options, "server">, seed = 5) {
  const policy = modelPolicy<GuessData, string, number>({
    dialogue,
    chat,
    sampling: { maxTokens: 16 },
    ...options,
  });
  const strategy = treeRandom({ branches: 3, every: 2 });
  return rollout(task, { env: () => new GuessEnv(), policy, strategy, seed });
}

function acting(options: Partial<Options> & Pick<Options, "server">, signal = new AbortController().signal) {
  const policy = modelPolicy<GuessData, string, number>({
    dialogue,
    chat,
    sampling: { maxTokens: 16 },
    ...options,
  });
  const node: GuessNode = { branch: "", turn: 0, observation: "start", reward: 0, repeats: 0 };
  return Promise.resolve(policy.act({ task, node, branch: "0", rng: createRng(1), signal }));
}

describe("in a tree, on a token-exact server", () => {
  test("every prompt begins with exactly the tokens recorded before it, forks included", async () => {
    const server = fakeServer(tokens);
    const tree = await growing({ server });
    expect(tree.problems).toEqual([]);
    const prompts = new Map(server.asked.map(({ seed, promptTokenIds }) => [seed, promptTokenIds]));
    let checked = 0;
    for (const node of tree.nodes.filter(({ choice }) => choice !== undefined)) {
      const expected = pathTo(node)
        .slice(1)
        .flatMap((at) => {
          const { promptDelta, tokenIds } = sampleOf(at);
          return at === node ? promptDelta! : [...promptDelta!, ...tokenIds!];
        });
      expect(prompts.get(sampleOf(node).seed)).toEqual(expected);
      checked++;
    }
    expect(checked).toBeGreaterThan(15);
    expect(prompts.size).toBe(checked);
  });

  test("what was sampled is what is recorded, and the action is what its own tokens say", async () => {
    const tree = await growing({
      server: fakeServer(tokens, { more: { weightVersion: "3", cachedTokens: 2, stopReason: 7 } }),
    });
    const node = tree.nodes.at(-1)!;
    const sample = sampleOf(node);
    expect(sample).toMatchObject({
      tokenIds: tokens(sample.seed),
      text: `the 1${sample.seed % 9}`,
      finishReason: "stop",
      stopReason: 7,
      weightVersion: "3",
      endpoint: "http://fake",
      attempts: 1,
    });
    expect(sample).not.toHaveProperty("failed");
    expect(node.choice!.action).toBe(1);
    expect(node.choice!.logprob).toBeCloseTo(
      sample.logprobs!.reduce((a, b) => a + b),
      12,
    );
    expect(node.choice!.usage).toMatchObject({ generatedTokens: sample.tokenIds!.length, cachedTokens: 2 });
    expect(node.choice).not.toHaveProperty("entropy");
    expect(tree.budget.cachedTokens).toBe(2 * tree.budget.turns);
  });

  test("seeds lie below 2^31, differ, and depend on the run's seed and the policy's alone", async () => {
    const seedsOf = async (options: { seed?: number }, run?: number) => {
      const server = fakeServer(tokens);
      await growing({ server, ...options }, run);
      return server.asked.map(({ seed }) => seed).sort();
    };
    const seeds = await seedsOf({});
    expect(new Set(seeds).size).toBe(seeds.length);
    expect(Math.max(...seeds)).toBeLessThan(2 ** 31);
    expect(Math.max(...seeds)).toBeGreaterThan(2 ** 30);
    expect(await seedsOf({})).toEqual(seeds);
    expect((await seedsOf({ seed: 1 }))[0]).not.toBe(seeds[0]);
    expect((await seedsOf({}, 6))[0]).not.toBe(seeds[0]);
  });

  test("a branch is put together again from a record and goes on with the same tokens", async () => {
    const server = fakeServer(tokens);
    const policy = modelPolicy({ server, dialogue, chat, sampling: { maxTokens: 16 } });
    const strategy = independent({ n: 1 });
    const tree = await rollout(task, { env: () => new GuessEnv(), policy, strategy, seed: 11 });
    const resumed = toTree<GuessData, string, number>(JSON.parse(JSON.stringify(toRecord(tree))));
    const turn = { task, branch: "0", signal: new AbortController().signal };
    const fresh = modelPolicy({
      server,
      dialogue: { ...dialogue, opening: () => [] },
      chat,
      sampling: { maxTokens: 16 },
    });
    const ends = [tree, resumed].map(({ nodes }) => nodes.at(-2)!);
    await policy.act({ ...turn, node: ends[0]!, rng: createRng(1) });
    await fresh.act({ ...turn, node: ends[1]!, rng: createRng(1) });
    expect(server.asked.at(-1)!.promptTokenIds).toEqual(server.asked.at(-2)!.promptTokenIds);
    expect(ends[1]).not.toBe(ends[0]);
  });

  test("a request has every number, and the tokens that end a turn", async () => {
    const server = fakeServer(tokens);
    await acting({
      server,
      sampling: { maxTokens: 7, temperature: 0.5, topP: 0.9, topK: 20, topLogprobs: 10 },
    });
    expect(server.asked).toEqual([
      {
        promptTokenIds: tokenizer.encode(
          "<|im_start|>system\nFrom 1 to 9<|im_end|>\n<|im_start|>user\n0: start<|im_end|>\n<|im_start|>assistant\n",
        ),
        maxTokens: 7,
        temperature: 0.5,
        topP: 0.9,
        topK: 20,
        topLogprobs: 10,
        stopTokenIds: [endOfTurn],
        seed: expect.any(Number),
        affinity: "guess/1",
        tree: expect.stringMatching(/^guess\/1#\d+$/),
      },
    ]);
  });

  test("a history that is not a model's is refused", async () => {
    const root: GuessNode = { branch: "", turn: 0, observation: "start", reward: 0, repeats: 0 };
    const turn = { task, branch: "0", rng: createRng(1), signal: new AbortController().signal };
    const taken = (sample?: object): GuessNode => ({
      ...root,
      parent: root,
      turn: 1,
      choice: { action: 1, ...(sample && { sample: sample as never }) },
    });
    const policy = modelPolicy({ server: fakeServer(tokens), dialogue, chat, sampling: { maxTokens: 1 } });
    await expect(policy.act({ ...turn, node: taken() })).rejects.toThrow(/turn 1 has no sample/);
    await expect(policy.act({ ...turn, node: taken({ text: "a" }) })).rejects.toThrow(
      /turn 1 was recorded without its tokens/,
    );
  });

  test("a server that breaks its word is a malformed reply", async () => {
    const server = fakeServer(tokens, { more: { logprobs: [-1] } });
    await expect(acting({ server })).rejects.toMatchObject({ fault: "malformed" });
  });
});

describe("on a server that is not token-exact", () => {
  test("the conversation is sent as messages, and the policy's name says so", async () => {
    const server = fakeServer(tokens, { exact: false });
    const policy = modelPolicy({ server, dialogue, sampling: { maxTokens: 4 } });
    expect(policy.name).toBe("fake (text only, not token-exact)");
    const tree = await rollout(task, {
      env: () => new GuessEnv(),
      policy,
      strategy: independent({ n: 1 }),
      seed: 11,
    });
    const [, first, second] = tree.nodes;
    expect(server.asked[1]!.messages).toEqual([
      { role: "system", content: "From 1 to 9" },
      { role: "user", content: "0: start" },
      { role: "assistant", content: sampleOf(first!).text },
      { role: "user", content: `1: ${first!.observation}` },
    ]);
    expect(second!.choice!.action).toBe(Number(sampleOf(second!).text));
    expect(sampleOf(second!)).not.toHaveProperty("tokenIds");
    expect(second!.choice).not.toHaveProperty("logprob");
  });
});

describe("a request that fails", () => {
  test("makes its branch a leaf with an error, and no other", async () => {
    const tree = await growing({
      server: fakeServer(tokens, { faults: (at) => (at === 1 ? "cut" : undefined) }),
    });
    expect(tree.leaves.filter(({ end }) => end === "error")).toMatchObject([
      { branch: "1", error: expect.stringContaining("fake: cut") },
    ]);
    expect(tree.leaves.length).toBeGreaterThan(2);
  });

  test("is not asked again unless retries are given", async () => {
    const server = fakeServer(tokens, { faults: () => "overloaded" });
    await expect(acting({ server })).rejects.toThrow(ServerError);
    expect(server.asked).toHaveLength(1);
  });

  test("is another sample with another seed, counted and recorded", async () => {
    const server = fakeServer(tokens, { faults: (at) => (["overloaded", "cut"] as const)[at] });
    const { sample } = await acting({ server, retries: 2 });
    const seeds = server.asked.map(({ seed }) => seed);
    expect(new Set(seeds).size).toBe(3);
    expect(sample).toMatchObject({
      attempts: 3,
      seed: seeds[2],
      failed: [
        { seed: seeds[0], fault: "overloaded", message: "fake: overloaded" },
        { seed: seeds[1], fault: "cut", message: "fake: cut" },
      ],
    });
  });

  test.each([
    ["more often than retries were given", "cut", 3],
    ["by a refusal, which would be the same again", "refused", 1],
  ] as const)("%s ends the turn", async (_, fault, requests) => {
    const server = fakeServer(tokens, { faults: () => fault });
    await expect(acting({ server, retries: 2 })).rejects.toMatchObject({ fault });
    expect(server.asked).toHaveLength(requests);
  });

  test("is not asked again once the branch is aborted", async () => {
    const controller = new AbortController();
    const server = fakeServer(tokens, {
      faults: () => {
        controller.abort("gone");
        return "cut";
      },
    });
    await expect(acting({ server, retries: 5 }, controller.signal)).rejects.toBe("gone");
    expect(server.asked).toHaveLength(1);
  });
});

describe("a context that is nearly full", () => {
  test("shortens the reply to the room that is left, and ends a branch without room, which is no failure", async () => {
    const server = fakeServer(tokens);
    const tree = await growing({ server, contextTokens: 180 });
    expect(tree.problems).toEqual([]);
    const cut = tree.leaves.filter(({ end }) => end === "context-limit");
    expect(cut.length).toBeGreaterThan(0);
    const begun = new Map(tree.branches.map(({ path, from }) => [path, from]));
    const owned = cut.filter(({ branch, node }) => node !== begun.get(branch));
    expect(owned.length).toBeGreaterThan(0);
    for (const { error, reward } of owned) expect([error, reward]).toEqual([undefined, expect.any(Number)]);
    for (const { promptTokenIds, maxTokens } of server.asked)
      expect(maxTokens).toBe(Math.min(16, 180 - promptTokenIds!.length));
    expect(Math.min(...server.asked.map(({ maxTokens }) => maxTokens))).toBeLessThan(16);
  });

  test("is not known of a server that is not token-exact", () => {
    const server = fakeServer(tokens, { exact: false });
    expect(() => modelPolicy({ server, dialogue, sampling: { maxTokens: 16 }, contextTokens: 100 })).toThrow(
      /`contextTokens` needs a token-exact server/,
    );
  });
});

describe("ARPO's entropy", () => {
  const fair = [Math.log(0.5), Math.log(0.5)];

  test("is summed over the first 20 tokens and the ten likeliest, by the vocabulary's logarithm", () => {
    expect(arpoEntropy([fair], 4)).toBeCloseTo(0.5, 12);
    expect(arpoEntropy([fair, fair], 4)).toBeCloseTo(1, 12);
    expect(arpoEntropy(Array(50).fill(fair), 4)).toBeCloseTo(10, 12);
    expect(arpoEntropy([[...Array(5).fill(-9), ...Array(10).fill(-1)]], Math.E)).toBeCloseTo(10 / Math.E, 12);
    expect(arpoEntropy([[0]], 4)).toBeCloseTo(0, 12);
  });

  test("comes with the decision where there are alternatives", async () => {
    const server = fakeServer(tokens, { more: { topLogprobs: [fair] } });
    const sampling = { maxTokens: 16, topLogprobs: 10 };
    expect((await acting({ server, sampling })).entropy).toBeCloseTo(
      Math.log(2) / Math.log(tokenizer.size),
      12,
    );
    expect((await acting({ server, sampling, vocabularySize: 4 })).entropy).toBeCloseTo(0.5, 12);
  });
});

test.each<[Partial<Options>, RegExp]>([
  [{ chat: undefined as never }, /fake takes tokens; pass `chat`/],
  [{ sampling: { maxTokens: 0 } }, /`maxTokens`/],
  [{ sampling: { maxTokens: 1, temperature: -1 } }, /`temperature`/],
  [{ seed: -1 }, /`seed`/],
  [{ retries: 0.5 }, /`retries`/],
  [{ retryWaitMs: -1 }, /`retryWaitMs`/],
  [{ contextTokens: 1 }, /`contextTokens`/],
  [{ vocabularySize: 1 }, /`vocabularySize`/],
])("bad options are refused at once: %j", (options, message) => {
  const make = () =>
    modelPolicy({ server: fakeServer(tokens), dialogue, chat, sampling: { maxTokens: 16 }, ...options });
  expect(make).toThrow(InputError);
  expect(make).toThrow(message);
});

test("entropy without a vocabulary is refused at once", () => {
  const server = fakeServer(tokens, { exact: false });
  expect(() => modelPolicy({ server, dialogue, sampling: { maxTokens: 1, topLogprobs: 1 } })).toThrow(
    /`vocabularySize`/,
  );
});
